//! The verdict of a verification: the error mask of a reply, one type for each operation.

/// Defines `Verdict` by its error bits: a constant, its bit and its name in `spec/wire` for each, lowest first.
macro_rules! verdict {
    (
        $(#[$about:meta])*
        { $($(#[$meaning:meta])* $constant:ident = $bit:literal, $name:literal;)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct Verdict(u8);

        impl Verdict {
            $($(#[$meaning])* pub const $constant: u8 = 1 << $bit;)*

            /// Bits and names, lowest first.
            pub const NAMES: [(u8, &'static str); [$($name),*].len()] =
                [$((Self::$constant, $name)),*];

            /// Every bit that there is.
            pub const DEFINED: u8 = $(Self::$constant)|*;

            /// Creates a verdict from the error bits of a reply.
            pub fn from_mask(mask: u8) -> Self {
                Self(mask)
            }

            /// The error bits; 0 is valid.
            pub fn mask(self) -> u8 {
                self.0
            }

            /// True when nothing is wrong.
            pub fn is_valid(self) -> bool {
                self.0 == 0
            }

            /// The names of all that is wrong.
            pub fn errors(self) -> impl Iterator<Item = &'static str> {
                let names = Self::NAMES.into_iter();
                names.filter(move |(bit, _)| self.0 & bit != 0).map(|(_, name)| name)
            }
        }

        impl std::fmt::Display for Verdict {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                if self.is_valid() {
                    return f.write_str("valid");
                }
                let names: Vec<_> = self.errors().collect();
                write!(f, "invalid: {}", names.join(", "))
            }
        }
    };
}

pub(crate) use verdict;
