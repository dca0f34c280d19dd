//! The results of a verification.

mod json;

use std::fmt;

use proofmill::equihash::BlockHash;
use zcash_protocol::TxId;

/// The verdict on a block or a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Every rule of this library was checked and holds.
    Valid,
    /// Nothing is invalid, and something could not be checked.
    Incomplete,
    /// A rule is violated.
    Invalid,
}

impl Verdict {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Incomplete => "incomplete",
            Self::Invalid => "invalid",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Defines the parts with their names in reports.
macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident $(($index:ty))? = $name:literal;)*) => {
        /// A part of a block or of a transaction. Numbers count from 0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Part {
            $($(#[$doc])* $part $(($index))?,)*
        }

        impl Part {
            /// Returns the name in reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(parts!(@ $part $($index)?) => $name,)*
                }
            }
        }
    };
    (@ $part:ident) => { Self::$part };
    (@ $part:ident $index:ty) => { Self::$part(_) };
}

parts! {
    /// The Equihash solution and the difficulty.
    ProofOfWork = "equihash";
    /// Other rules of the header.
    Header = "header";
    /// The root of the tree of transaction identifiers.
    MerkleRoot = "merkle_root";
    /// The field of the header that commits to the Sapling tree, the chain's history or the authorizing data.
    Commitment = "commitment";
    /// The length, or the order of the transactions.
    Structure = "structure";
    /// Version, branch and encoding of a transaction.
    Format = "format";
    /// The coinbase rules.
    Coinbase = "coinbase";
    /// Lock time and expiry height.
    Time = "time";
    /// Sums of money.
    Amounts = "amounts";
    /// Nullifiers, or outputs that are spent twice.
    DoubleSpend = "double_spend";
    /// The script of a transparent input.
    Input(usize) = "transparent_input";
    /// The signature of the JoinSplits.
    JoinSplitSignature = "joinsplit_signature";
    /// The proof of a JoinSplit.
    JoinSplitProof(usize) = "joinsplit_proof";
    /// A point of a Sapling Spend.
    SpendPoint(usize) = "sapling_spend_point";
    /// The proof of a Sapling Spend.
    SpendProof(usize) = "sapling_spend_proof";
    /// The signature of a Sapling Spend.
    SpendSignature(usize) = "sapling_spend_signature";
    /// A point of a Sapling Output.
    OutputPoint(usize) = "sapling_output_point";
    /// The proof of a Sapling Output.
    OutputProof(usize) = "sapling_output_proof";
    /// Sapling's binding signature, which balances the values.
    SaplingBinding = "sapling_binding_signature";
    /// The proof of all Orchard actions.
    ActionsProof = "orchard_proof";
    /// The signature of an Orchard action.
    ActionSignature(usize) = "orchard_action_signature";
    /// Orchard's binding signature, which balances the values.
    OrchardBinding = "orchard_binding_signature";
    /// The proof of all Ironwood actions.
    IronwoodProof = "ironwood_proof";
    /// The signature of an Ironwood action.
    IronwoodSignature(usize) = "ironwood_action_signature";
    /// Ironwood's binding signature, which balances the values.
    IronwoodBinding = "ironwood_binding_signature";
    /// All proofs and signatures of a transaction.
    Authorization = "proofs_and_signatures";
}

impl Part {
    /// Returns the number of a part that occurs several times.
    pub fn number(self) -> Option<usize> {
        match self {
            Self::Input(number)
            | Self::JoinSplitProof(number)
            | Self::SpendPoint(number)
            | Self::SpendProof(number)
            | Self::SpendSignature(number)
            | Self::OutputPoint(number)
            | Self::OutputProof(number)
            | Self::ActionSignature(number)
            | Self::IronwoodSignature(number) => Some(number),
            _ => None,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.number().map_or(Ok(()), |number| write!(f, " {number}"))
    }
}

/// A part, and what is wrong with it or why it was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The part.
    pub part: Part,
    /// The problem or the reason.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.text)
    }
}

/// The findings of a block or a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Invalid parts.
    pub invalid: Vec<Finding>,
    /// Parts that were not checked, with the reasons.
    pub not_checked: Vec<Finding>,
}

impl Findings {
    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        match (self.invalid.is_empty(), self.not_checked.is_empty()) {
            (false, _) => Verdict::Invalid,
            (true, false) => Verdict::Incomplete,
            (true, true) => Verdict::Valid,
        }
    }

    pub(super) fn invalid(&mut self, part: Part, text: impl Into<String>) {
        self.invalid.push(Finding { part, text: text.into() });
    }

    pub(super) fn append(&mut self, other: Self) {
        self.invalid.extend(other.invalid);
        self.not_checked.extend(other.not_checked);
    }

    pub(super) fn not_checked(&mut self, part: Part, text: impl Into<String>) {
        self.not_checked.push(Finding { part, text: text.into() });
    }

    pub(super) fn require(&mut self, holds: bool, part: Part, text: impl FnOnce() -> String) {
        if !holds {
            self.invalid(part, text());
        }
    }
}

/// The report on a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionReport {
    /// The identifier.
    pub txid: TxId,
    /// The findings.
    pub findings: Findings,
}

/// The report on a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockReport {
    /// The name.
    pub hash: BlockHash,
    /// The height in the coinbase.
    pub height: u32,
    /// The findings on the header and the block as a whole.
    pub findings: Findings,
    /// A report for each transaction, in their order.
    pub transactions: Vec<TransactionReport>,
}

impl BlockReport {
    pub(super) fn lacks_proof_of_work(&self) -> bool {
        self.findings.invalid.iter().any(|finding| finding.part == Part::ProofOfWork)
    }

    /// Returns the verdict on the block with all transactions.
    pub fn verdict(&self) -> Verdict {
        let transactions = self.transactions.iter().map(|it| it.findings.verdict());
        transactions.fold(self.findings.verdict(), Verdict::max)
    }
}
