//! Bisection: finds the false ones of many claims, of which a set is cheaper to check than each of its claims.

use std::ops::Range;

/// Returns the indices of the claims that do not hold, in ascending order. The function checks whether a set of claims holds.
pub fn find_invalid<E>(
    count: usize,
    mut all_hold: impl FnMut(Range<usize>) -> Result<bool, E>,
) -> Result<Vec<usize>, E> {
    let mut invalid = vec![];
    search(0..count, false, &mut all_hold, &mut invalid)?;
    Ok(invalid)
}

/// Searches claims by bisection; the caller may know that they do not all hold.
fn search<E>(
    claims: Range<usize>,
    known: bool,
    all_hold: &mut impl FnMut(Range<usize>) -> Result<bool, E>,
    invalid: &mut Vec<usize>,
) -> Result<(), E> {
    if claims.is_empty() || !known && all_hold(claims.clone())? {
        return Ok(());
    }
    if claims.len() == 1 {
        invalid.push(claims.start);
        return Ok(());
    }
    let middle = claims.start + claims.len() / 2;
    let before = invalid.len();
    search(claims.start..middle, false, all_hold, invalid)?;
    let left_is_good = invalid.len() == before;
    search(middle..claims.end, left_is_good, all_hold, invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_one_is_found_and_few_questions_are_asked() {
        for count in 0..9 {
            for wrong in 0..1_usize << count {
                let is_wrong = |at: usize| wrong >> at & 1 == 1;
                let mut asked = 0;
                let found = find_invalid(count, |claims| {
                    asked += 1;
                    Ok::<_, ()>(!claims.into_iter().any(is_wrong))
                });
                let wanted: Vec<_> = (0..count).filter(|at| is_wrong(*at)).collect();
                assert_eq!(found.unwrap(), wanted);
                assert!(asked <= 2 * count.max(1), "{asked} of {count}");
                assert!(wrong != 0 || asked <= 1);
            }
        }
        let failing = find_invalid(3, |_| Err("no device"));
        assert!(matches!(failing, Err("no device")));
    }
}
