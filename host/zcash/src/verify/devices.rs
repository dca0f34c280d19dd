//! The devices of a verification.

use std::fmt;
use std::sync::Arc;

use proofmill::equihash::Params;
use proofmill::msm::{Curve, Group, Instance};
use proofmill::{Capability, Device, Error};

use crate::Result;

/// A device for each operation of a verification.
#[derive(Clone)]
pub struct VerifierDevices {
    /// Verifies the solutions of headers.
    pub equihash: Arc<dyn Device>,
    /// Verifies the signatures of transparent inputs.
    pub ecdsa: Arc<dyn Device>,
    /// Computes the pairings of Groth16.
    pub pairings: Arc<dyn Device>,
    /// Computes the MSM of Orchard's proofs.
    pub msm: Arc<dyn Device>,
}

/// The capability of each operation.
const NEEDED: [Capability; 4] = [
    Capability::EquihashVerify(Params::N200_K9),
    Capability::EcdsaVerify,
    Capability::Coprocessor,
    Capability::Msm(Instance::new(Curve::Vesta, Group::G1)),
];

impl VerifierDevices {
    /// Chooses for each operation the first device that offers it. Returns an error if none does.
    pub fn choose(devices: &[Arc<dyn Device>]) -> Result<Self> {
        let first = |capability: Capability| -> Result<Arc<dyn Device>> {
            let found = devices.iter().find(|device| device.caps().offers(&capability)).cloned();
            Ok(found.ok_or_else(|| {
                let uris: Vec<_> = devices.iter().map(|it| it.caps().uri.clone()).collect();
                let what = format!("{capability}; add a device that does, such as cpu:");
                Error::Unsupported { device: uris.join(", "), what }
            })?)
        };
        let [equihash, ecdsa, pairings, msm] = NEEDED.map(first);
        Ok(Self { equihash: equihash?, ecdsa: ecdsa?, pairings: pairings?, msm: msm? })
    }

    /// Takes one device for all operations.
    pub fn one(device: Arc<dyn Device>) -> Self {
        let [equihash, ecdsa, pairings] = [(); 3].map(|()| device.clone());
        Self { equihash, ecdsa, pairings, msm: device }
    }
}

impl fmt::Display for VerifierDevices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = [&self.equihash, &self.ecdsa, &self.pairings, &self.msm];
        let mut uris: Vec<&str> = each.iter().map(|device| device.caps().uri.as_str()).collect();
        uris.dedup();
        f.write_str(&uris.join(", "))
    }
}
