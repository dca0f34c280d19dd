//! Names of instances that depend on features. A line of a list of instances may follow `#[cfg(feature = …)]`; a build without that feature
//! keeps the names of the line, so that the error for such a name reports the missing feature.

use crate::Error;

/// Passes lines to the macro `$list`: after `$head` first the lines of this build, then the others, each with the feature that is missing.
///
/// Features are tested in this crate and not where the macros of the list are used: a `#[cfg]` in an exported macro would test the features of
/// the crate that calls it.
macro_rules! sorted {
    (@ $list:ident $head:tt $there:tt $absent:tt) => {
        $list! { $head $there $absent }
    };
    (@ $list:ident $head:tt { $($there:tt)* } { $($absent:tt)* }
        $(#[doc = $doc:tt])* #[cfg(feature = $feature:tt)]
        $name:ident = $type:ident $(: $($group:ident)+)?; $($lines:tt)*
    ) => {
        $crate::features::with! { $feature
            { $crate::features::sorted! { @ $list $head
                { $($there)* $(#[doc = $doc])* $name = $type $(: $($group)+)?; } { $($absent)* } $($lines)*
            } }
            { $crate::features::sorted! { @ $list $head
                { $($there)* } { $($absent)* $feature: $name = $type $(: $($group)+)?; } $($lines)*
            } }
        }
    };
    (@ $list:ident $head:tt { $($there:tt)* } $absent:tt
        $(#[doc = $doc:tt])* $name:ident = $type:ident $(: $($group:ident)+)?; $($lines:tt)*
    ) => {
        $crate::features::sorted! { @ $list $head
            { $($there)* $(#[doc = $doc])* $name = $type $(: $($group)+)?; } $absent $($lines)*
        }
    };
    ($list:ident! $head:tt $($lines:tt)*) => {
        $crate::features::sorted! { @ $list $head {} {} $($lines)* }
    };
}
pub(crate) use sorted;

/// Expands to the first block with the feature, to the second without it.
macro_rules! with {
    ("bls12_377" $there:tt $absent:tt) => {
        $crate::features::bls12_377! { $there $absent }
    };
    ("pasta" $there:tt $absent:tt) => {
        $crate::features::pasta! { $there $absent }
    };
}
pub(crate) use with;

#[allow(unused_macros, reason = "a build may lack all features")]
macro_rules! first {
    ({ $($there:tt)* } $absent:tt) => { $($there)* };
}
#[allow(unused_macros, reason = "a build may lack none")]
macro_rules! second {
    ($there:tt { $($absent:tt)* }) => { $($absent)* };
}
#[cfg(feature = "bls12_377")]
pub(crate) use first as bls12_377;
#[cfg(feature = "pasta")]
pub(crate) use first as pasta;
#[cfg(not(feature = "bls12_377"))]
pub(crate) use second as bls12_377;
#[cfg(not(feature = "pasta"))]
pub(crate) use second as pasta;

/// Formats the problem of a name that needs a feature which this build lacks, such as `'pallas_g1'`.
pub fn not_in_this_build(what: &str, feature: &str) -> String {
    format!("{what} is not in this build; build with the feature '{feature}'")
}

/// Returns the error for an unknown name: it reports the missing feature if `absent` lists the name.
pub(crate) fn no_such(
    argument: &'static str,
    name: &str,
    there: &[&str],
    absent: &[(&str, &str)],
) -> Error {
    match absent.iter().find(|(known, _)| *known == name) {
        Some((_, feature)) => {
            Error::argument(argument, not_in_this_build(&format!("'{name}'"), feature))
        }
        None => {
            let all = there.join(", ");
            Error::argument(argument, format!("'{name}' is unknown; expected one of {all}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msm::Instance;
    use crate::ntt::Field;

    /// A list in the form of the lists of instances.
    macro_rules! names {
        ($head:tt { $($(#[$doc:meta])* $there:ident = $of:ident;)* } { $($feature:tt: $absent:ident = $its:ident;)* }) => {
            (
                vec![$(concat!(stringify!($there), stringify!($of))),*],
                Vec::<(&str, &str)>::from([$((concat!(stringify!($absent), stringify!($its)), $feature)),*]),
            )
        };
    }

    #[test]
    fn lines_are_sorted_by_the_features_of_this_build() {
        let (mut there, mut absent) = sorted! { names! ()
            /// Always there.
            a = b;
            /// There with its feature.
            #[cfg(feature = "pasta")]
            c = d;
            #[cfg(feature = "bls12_377")]
            e = f;
            g = h;
        };
        for (feature, name, built) in [
            ("pasta", "cd", cfg!(feature = "pasta")),
            ("bls12_377", "ef", cfg!(feature = "bls12_377")),
        ] {
            assert_eq!(there.contains(&name), built);
            assert_eq!(absent.contains(&(name, feature)), !built);
        }
        there.retain(|name| !["cd", "ef"].contains(name));
        absent.retain(|(name, _)| !["cd", "ef"].contains(name));
        assert_eq!((there, absent), (vec!["ab", "gh"], vec![]));
    }

    #[test]
    fn the_error_of_an_absent_name_reports_its_feature() {
        let problem = |name| no_such("curve", name, &["a", "b"], &[("c", "more")]).to_string();
        assert_eq!(problem("c"), "curve: 'c' is not in this build; build with the feature 'more'");
        assert_eq!(problem("d"), "curve: 'd' is unknown; expected one of a, b");
    }

    #[test]
    fn names_of_features_are_there_or_say_so() {
        let message = |problem: Option<Error>| problem.map(|error| error.to_string());
        for (name, feature, built) in [
            ("bls12_377_g1", "bls12_377", cfg!(feature = "bls12_377")),
            ("bls12_377_g2", "bls12_377", cfg!(feature = "bls12_377")),
            ("pallas_g1", "pasta", cfg!(feature = "pasta")),
            ("vesta_g1", "pasta", cfg!(feature = "pasta")),
        ] {
            let wanted = format!(
                "instance: '{name}' is not in this build; build with the feature '{feature}'"
            );
            let problem = message(name.parse::<Instance>().err());
            assert_eq!(problem, (!built).then_some(wanted));
        }
        for (name, feature, built) in [
            ("bls12_377_fr", "bls12_377", cfg!(feature = "bls12_377")),
            ("pasta_fp", "pasta", cfg!(feature = "pasta")),
            ("pasta_fq", "pasta", cfg!(feature = "pasta")),
        ] {
            let wanted =
                format!("field: '{name}' is not in this build; build with the feature '{feature}'");
            let problem = message(name.parse::<Field>().err());
            assert_eq!(problem, (!built).then_some(wanted));
        }
    }
}
