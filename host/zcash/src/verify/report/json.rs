//! Reports as JSON.
//!
//! | type | fields |
//! |---|---|
//! | block | `hash`, `height`, `verdict` (also of the transactions), `invalid`, `not_checked`, `transactions` |
//! | transaction | `txid`, `verdict`, `invalid`, `not_checked` |
//! | finding | `part`, `number` or null, `text` |

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::{BlockReport, Finding, TransactionReport, Verdict};

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Finding", 3)?;
        object.serialize_field("part", self.part.name())?;
        object.serialize_field("number", &self.part.number())?;
        object.serialize_field("text", &self.text)?;
        object.end()
    }
}

impl Serialize for TransactionReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("TransactionReport", 4)?;
        object.serialize_field("txid", &self.txid.to_string())?;
        object.serialize_field("verdict", &self.findings.verdict())?;
        object.serialize_field("invalid", &self.findings.invalid)?;
        object.serialize_field("not_checked", &self.findings.not_checked)?;
        object.end()
    }
}

impl Serialize for BlockReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("BlockReport", 6)?;
        object.serialize_field("hash", &self.hash.to_string())?;
        object.serialize_field("height", &self.height)?;
        object.serialize_field("verdict", &self.verdict())?;
        object.serialize_field("invalid", &self.findings.invalid)?;
        object.serialize_field("not_checked", &self.findings.not_checked)?;
        object.serialize_field("transactions", &self.transactions)?;
        object.end()
    }
}
