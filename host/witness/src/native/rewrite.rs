//! Rewrites a generator so that it calls native functions:
//!
//! ```text
//! (func $Fr_F1m_mul (param i32 i32 i32)
//!     local.get 0  local.get 1  local.get 2  i32.const 0  call_indirect $native (type 9))
//! (func (export "native 0") (param i32 i32 i32) …the former body… )
//! (table $native (export "native") 5 5 funcref)
//! ```
//!
//! The stubs keep the indices of the former functions, which move behind the last one. A module that has another form than circom's
//! is not rewritten.

use std::collections::HashMap;

use super::{EXPORT, OPERATIONS, Operation};

/// Returns the module with native field operations. `None` if it is not of circom's form, such as without names of functions.
pub fn rewritten(module: &[u8]) -> Option<Vec<u8>> {
    let sections = sections(module)?;
    let section =
        |id| sections.iter().find(|section| section.0 == id).map(|section| Reader(section.1));
    let imported = imports(section(2)?)?;
    let types: Vec<u32> = section(3)?.numbers()?;
    let bodies = bodies(section(10)?)?;
    let names = names(&sections)?;
    let find = |operation: &Operation| {
        let index = *names.get(operation.name)? as usize;
        let defined = index.checked_sub(imported)?;
        Some((defined, *types.get(defined)?, *bodies.get(defined)?))
    };
    let found = OPERATIONS.iter().map(find).collect::<Option<Vec<_>>>()?;

    let mut new_bodies: Vec<Vec<u8>> = bodies.iter().map(|body| body.to_vec()).collect();
    for (slot, ((defined, function_type, body), operation)) in
        found.iter().zip(&OPERATIONS).enumerate()
    {
        let mut stub = vec![0];
        (0..operation.parameters as u8).for_each(|parameter| stub.extend([0x20, parameter]));
        stub.extend([0x41, slot as u8, 0x11]);
        number(&mut stub, *function_type);
        stub.extend([1, 0x0b]);
        new_bodies[*defined] = stub;
        new_bodies.push(body.to_vec());
    }
    let (slots, first) = (OPERATIONS.len() as u32, (imported + types.len()) as u32);
    let mut out = module[..8].to_vec();
    for (id, content) in &sections {
        let mut new = Vec::new();
        match id {
            3 => {
                number(&mut new, types.len() as u32 + slots);
                types
                    .iter()
                    .chain(found.iter().map(|(_, of, _)| of))
                    .for_each(|of| number(&mut new, *of));
            }
            4 => {
                // The new table is number 1, if the module has one of its own.
                let (1, rest) = Reader(content).counted()? else { return None };
                new.push(2);
                new.extend(rest);
                new.extend([0x70, 1, slots as u8, slots as u8]);
            }
            7 => {
                let (count, rest) = Reader(content).counted()?;
                number(&mut new, count + 1 + slots);
                new.extend(rest);
                let mut export = |name: &str, kind, index| {
                    number(&mut new, name.len() as u32);
                    new.extend(name.as_bytes());
                    new.push(kind);
                    number(&mut new, index);
                };
                export(EXPORT, 1, 1);
                (0..slots).for_each(|slot| export(&format!("{EXPORT} {slot}"), 0, first + slot));
            }
            10 => {
                number(&mut new, new_bodies.len() as u32);
                for body in &new_bodies {
                    number(&mut new, body.len() as u32);
                    new.extend(body);
                }
            }
            0 => continue, // names; they are not needed any more
            _ => new.extend(*content),
        }
        out.push(*id);
        number(&mut out, u32::try_from(new.len()).ok()?);
        out.extend(new);
    }
    section(4).is_some().then_some(out)
}

/// Appends a number in LEB128.
fn number(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes of a module that are read from front to back; `None` at the end.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// Reads a number in LEB128.
    fn number(&mut self) -> Option<u32> {
        let mut value = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(value).ok();
            }
        }
        None
    }

    fn take(&mut self, bytes: u32) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes as usize)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads a length and so many bytes.
    fn sized(&mut self) -> Option<&'a [u8]> {
        let bytes = self.number()?;
        self.take(bytes)
    }

    /// Reads a count, and returns it with the rest.
    fn counted(mut self) -> Option<(u32, &'a [u8])> {
        Some((self.number()?, self.0))
    }

    /// Reads a count and so many numbers, which are all of the content.
    fn numbers(mut self) -> Option<Vec<u32>> {
        let count = self.number()?;
        let numbers = (0..count).map(|_| self.number()).collect::<Option<_>>()?;
        self.0.is_empty().then_some(numbers)
    }
}

/// Returns the sections of a module: their identifiers and contents.
fn sections(module: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut reader = Reader(module.strip_prefix(b"\0asm\x01\0\0\0")?);
    let mut sections = Vec::new();
    while let Some(id) = reader.byte() {
        sections.push((id, reader.sized()?));
    }
    Some(sections)
}

/// Returns the number of imports, which are functions all.
fn imports(mut reader: Reader<'_>) -> Option<usize> {
    let count = reader.number()?;
    for _ in 0..count {
        reader.sized()?;
        reader.sized()?;
        (reader.byte()? == 0).then_some(())?;
        reader.number()?;
    }
    Some(count as usize)
}

fn bodies(mut reader: Reader<'_>) -> Option<Vec<&[u8]>> {
    let count = reader.number()?;
    (0..count).map(|_| reader.sized()).collect()
}

/// Returns the indices of functions by name.
fn names<'a>(sections: &[(u8, &'a [u8])]) -> Option<HashMap<&'a str, u32>> {
    let custom = sections.iter().filter(|section| section.0 == 0).find_map(|section| {
        let mut reader = Reader(section.1);
        (reader.sized()? == b"name").then_some(reader)
    });
    let mut reader = custom?;
    while let Some(id) = reader.byte() {
        let mut content = Reader(reader.sized()?);
        if id == 1 {
            let count = content.number()?;
            let entry = |_| {
                let index = content.number()?;
                Some((std::str::from_utf8(content.sized()?).ok()?, index))
            };
            let names: Option<HashMap<_, _>> = (0..count).map(entry).collect();
            return names;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use wasmi::Store;

    use super::*;
    use crate::native::{Field, agrees};
    use crate::prime::BN254;

    /// Returns a module with functions of these names that do nothing.
    fn module(names: &[&str]) -> Vec<u8> {
        let parameters = |name: &&str| {
            OPERATIONS
                .iter()
                .find(|operation| operation.name == *name)
                .map_or(1, |it| it.parameters)
        };
        let functions = names
            .iter()
            .map(|name| format!("(func ${name} (param{}))", " i32".repeat(parameters(name))));
        let wat = format!(
            r#"(module (import "runtime" "f" (func $f)) (memory (export "memory") 1) (table 1 funcref) (func (export "one")) {} )"#,
            functions.collect::<String>()
        );
        wat::parse_str(wat).unwrap()
    }

    #[test]
    fn modules_with_other_operations_are_not_rewritten_or_do_not_agree() {
        let names = OPERATIONS.each_ref().map(|operation| operation.name);
        for missing in 0..names.len() {
            let mut names = names.to_vec();
            names.remove(missing);
            assert!(rewritten(&module(&names)).is_none());
        }
        let engine = crate::generator::engine();
        let bytes = rewritten(&module(&names)).unwrap();
        let rewritten = wasmi::Module::new(&engine, &bytes).unwrap();
        let mut store = Store::new(&engine, ());
        store.set_fuel(1 << 30).unwrap();
        let mut linker = wasmi::Linker::new(&engine);
        linker.func_wrap("runtime", "f", || {}).unwrap();
        let instance = linker.instantiate_and_start(&mut store, &rewritten).unwrap();
        assert!(!agrees(&instance, &mut store, &Field::new(BN254)));
    }

    #[test]
    fn damaged_modules_are_not_rewritten_or_refused_later() {
        let bytes = module(&OPERATIONS.each_ref().map(|operation| operation.name));
        for at in 0..bytes.len() {
            assert!(rewritten(&bytes[..at]).is_none());
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                if let Some(rewritten) = rewritten(&damaged) {
                    let _ = wasmi::Module::new(&crate::generator::engine(), &rewritten);
                }
            }
        }
    }
}
