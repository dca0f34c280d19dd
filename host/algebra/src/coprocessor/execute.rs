//! The execution of an instruction: its checks, in the order of [`Fault`], and its effect.

use super::lines::{LINES, Line, miller_lines};
use super::miller::miller_loop;
use super::{Fault, FieldName, Instruction, Interrupt, Kind, Opcode, Role, SLOT_BYTES, Slot};
use crate::Isa;
use crate::bls12_381::{Fp, Fp2, Fp6, Fp12, G1, G2};
use crate::curve::{Affine, Curve, Projective};
use crate::encoding::Coordinate;
use crate::field::{Field, PrimeField};
use crate::pairing::{Bls12381, final_exponentiation};

/// The effect of an instruction beyond the values that it writes.
pub(super) enum Outcome {
    Done,
    Jump(usize),
    Send(Interrupt),
}

/// An instruction in a memory, of which it is known that its operands exist, have types that it takes and end within the memory.
pub(super) struct Execution<'a> {
    isa: Isa,
    data: &'a mut [Slot],
    opcode: Opcode,
    at: [usize; 3],
}

/// A group, and whether a point of it is in Jacobian form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    G1 { jacobian: bool },
    G2 { jacobian: bool },
}

/// A point as it was read: on its curve or not. The pair (0, 0) is the identity, and on no curve if `on_curve` is false.
struct Read<C: Curve> {
    point: Affine<C>,
    on_curve: bool,
}

impl<'a> Execution<'a> {
    pub(super) fn new(
        isa: Isa,
        data: &'a mut [Slot],
        instructions: usize,
        instruction: Instruction,
    ) -> Result<Self, Fault> {
        let opcode = Opcode::from_number(instruction.opcode).ok_or(Fault::UnknownOpcode)?;
        let this = Self { isa, data, opcode, at: instruction.operands.map(usize::from) };
        let used = || opcode.operands().iter().copied().zip(0..);
        let exists = |(role, operand): (Role, usize)| match role {
            Role::Index => true,
            Role::Target => this.at[operand] < instructions,
            _ => this.at[operand] < this.data.len(),
        };
        if !used().all(exists) {
            return Err(Fault::NoSuchSlot);
        }
        if !used().all(|(role, operand)| this.fits(role, operand)) || this.groups_differ() {
            return Err(Fault::WrongType);
        }
        let ends = |(role, operand): (Role, usize)| {
            !role.is_data() || this.at[operand] + this.extent(role, operand) <= this.data.len()
        };
        if used().all(ends) { Ok(this) } else { Err(Fault::BeyondEnd) }
    }

    fn kind(&self, operand: usize) -> Kind {
        self.data[self.at[operand]].kind()
    }

    /// Returns whether the operand accepts the type.
    fn fits(&self, role: Role, operand: usize) -> bool {
        match role {
            Role::G1 | Role::G2 | Role::Point => self.form(operand).is_some(),
            Role::Fp12 => {
                matches!(self.kind(operand), Kind::Scalar | Kind::Fe | Kind::Fe2 | Kind::Fe12)
            }
            Role::Lines => matches!(self.kind(operand), Kind::Scalar | Kind::Fe | Kind::Fe2),
            _ => true,
        }
    }

    /// The form in which a point is read.
    fn form(&self, operand: usize) -> Option<Form> {
        let (role, kind) = (self.opcode.operands()[operand], self.kind(operand));
        match (role, kind) {
            (Role::G1 | Role::Point, Kind::FpAf) => Some(Form::G1 { jacobian: false }),
            (Role::G1 | Role::Point, Kind::FpJb) => Some(Form::G1 { jacobian: true }),
            (Role::G2 | Role::Point, Kind::Fp2Af) => Some(Form::G2 { jacobian: false }),
            (Role::G2 | Role::Point, Kind::Fp2Jb) => Some(Form::G2 { jacobian: true }),
            (Role::G1, Kind::Scalar | Kind::Fe) => Some(Form::G1 { jacobian: false }),
            (Role::G2, Kind::Scalar | Kind::Fe | Kind::Fe2) => Some(Form::G2 { jacobian: false }),
            (Role::Point, Kind::Scalar | Kind::Fe2) => Some(Form::G2 { jacobian: false }),
            _ => None,
        }
    }

    /// The form of a point that fits.
    fn form_of(&self, operand: usize) -> Form {
        self.form(operand).expect("types were looked at")
    }

    fn groups_differ(&self) -> bool {
        let both = |a, b| {
            matches!(
                (a, b),
                (Form::G1 { .. }, Form::G1 { .. }) | (Form::G2 { .. }, Form::G2 { .. })
            )
        };
        self.opcode == Opcode::PointAdd && !both(self.form_of(0), self.form_of(1))
    }

    /// Returns the form of the operand that determines the group of a resulting point.
    fn source(&self) -> Form {
        self.form_of(usize::from(self.opcode == Opcode::PointMult))
    }

    /// Returns the number of slots of an operand.
    fn extent(&self, role: Role, operand: usize) -> usize {
        let of_point =
            |form: Form, jacobian: bool| form.coordinate() * if jacobian { 3 } else { 2 };
        match role {
            Role::Slot | Role::ToSlot => 1,
            Role::Value => self.kind(operand).slots(),
            Role::Element | Role::ToElement => self.kind(0).field().slots(),
            Role::G1 | Role::G2 | Role::Point => {
                let form = self.form_of(operand);
                of_point(form, form.is_jacobian())
            }
            Role::ToJacobian => of_point(self.source(), true),
            Role::ToAffine => of_point(self.source(), false),
            Role::Fp12 | Role::ToFp12 => FieldName::Fp12.slots(),
            Role::Lines => LINES * size_of::<Line>() / size_of::<Fp>(),
            Role::Index | Role::Target => 0,
        }
    }

    pub(super) fn run(mut self) -> Result<Outcome, Fault> {
        let [a, b, c] = self.at;
        match self.opcode {
            Opcode::NoopWait => {}
            Opcode::CopyReg => self.data[b] = self.data[a],
            Opcode::Jump => return Ok(Outcome::Jump(a)),
            Opcode::JumpIfEq => {
                if self.data[b].low() == self.data[c].low() {
                    return Ok(Outcome::Jump(a));
                }
            }
            Opcode::JumpNonzeroSub => {
                if self.data[b].low() != 0 {
                    self.data[b] = self.data[b].decremented();
                    return Ok(Outcome::Jump(a));
                }
            }
            Opcode::SendInterrupt => return Ok(Outcome::Send(self.interrupt(b))),
            Opcode::Sub | Opcode::Add | Opcode::Mul | Opcode::Inv => self.arithmetic()?,
            Opcode::PointMult => match self.source() {
                Form::G1 { .. } => self.multiply::<G1>()?,
                Form::G2 { .. } => self.multiply::<G2>()?,
            },
            Opcode::MillerLoop => {
                let f = self.miller()?;
                self.write_fp12(2, f);
            }
            Opcode::MillerLines => {
                let f = self.miller_by_lines()?;
                self.write_fp12(2, f);
            }
            Opcode::FinalExp => {
                let f = self.fp12(0)?;
                self.write_fp12(1, self.exponentiated(f));
            }
            Opcode::AtePairing => {
                let f = self.miller()?;
                self.write_fp12(2, self.exponentiated(f));
            }
            Opcode::PointCheck => match self.source() {
                Form::G1 { .. } => self.check::<G1>()?,
                Form::G2 { .. } => self.check::<G2>()?,
            },
            Opcode::PointAffine => match self.source() {
                Form::G1 { .. } => self.affine::<G1>()?,
                Form::G2 { .. } => self.affine::<G2>()?,
            },
            Opcode::PointAdd => match self.source() {
                Form::G1 { .. } => self.sum::<G1>()?,
                Form::G2 { .. } => self.sum::<G2>()?,
            },
        }
        Ok(Outcome::Done)
    }

    fn interrupt(&self, index: usize) -> Interrupt {
        let kind = self.kind(0);
        let slots = &self.data[self.at[0]..][..kind.slots()];
        let value = slots.iter().map(|slot| *slot.value()).collect();
        Interrupt { index: index as u16, kind, value }
    }

    fn arithmetic(&mut self) -> Result<(), Fault> {
        match self.kind(0).field() {
            FieldName::Fp => self.combine(Self::element::<Fp>, |a| a.invert().unwrap_or(Fp::ZERO)),
            FieldName::Fp2 => {
                self.combine(Self::element::<Fp2>, |a| a.invert().unwrap_or(Fp2::ZERO))
            }
            FieldName::Fp12 => self.combine(Self::fp12, |a| a.invert().unwrap_or(Fp12::ZERO)),
        }
    }

    /// The four operations of a field, by how it is read and inverted.
    fn combine<F: Element>(
        &mut self,
        read: impl Fn(&Self, usize) -> Result<F, Fault>,
        inverse: impl Fn(F) -> F,
    ) -> Result<(), Fault> {
        let a = read(self, 0)?;
        let (to, result) = match self.opcode {
            Opcode::Sub => (2, a - read(self, 1)?),
            Opcode::Add => (2, a + read(self, 1)?),
            Opcode::Mul => (2, a * read(self, 1)?),
            _ => (1, inverse(a)),
        };
        self.write(self.at[to], self.kind(0), &result.coefficients());
        Ok(())
    }

    fn multiply<C: Group>(&mut self) -> Result<(), Fault> {
        let point = self.point::<C>(1)?;
        let limbs = self.data[self.at[0]].limbs();
        self.write_jacobian(Projective::from(point).times_public(&limbs).into());
        Ok(())
    }

    fn sum<C: Group>(&mut self) -> Result<(), Fault> {
        let (p, q) = (self.read::<C>(0)?, self.read::<C>(1)?);
        if !(p.on_curve && q.on_curve) {
            return Err(Fault::NotOnCurve);
        }
        self.write_jacobian((Projective::from(p.point) + q.point).into());
        Ok(())
    }

    fn affine<C: Group>(&mut self) -> Result<(), Fault> {
        let point = self.point::<C>(0)?;
        let coordinates = [point.x(), point.y()].map(|a| a.coefficients()).concat();
        self.write(self.at[1], C::AFFINE, &coordinates);
        Ok(())
    }

    fn check<C: Group>(&mut self) -> Result<(), Fault> {
        let Read { point, on_curve } = self.read::<C>(0)?;
        let in_subgroup = on_curve && bool::from(point.is_in_subgroup());
        let is_identity = on_curve && bool::from(point.is_identity());
        let bits = u64::from(on_curve) | u64::from(in_subgroup) << 1 | u64::from(is_identity) << 2;
        self.write(self.at[1], Kind::Scalar, &[Fp::from(bits)]);
        Ok(())
    }

    fn miller(&self) -> Result<Fp12, Fault> {
        let (p, q) = (self.read::<G1>(0)?, self.read::<G2>(1)?);
        if !(p.on_curve && q.on_curve) {
            return Err(Fault::NotOnCurve);
        }
        Ok(miller_loop(&p.point, &q.point))
    }

    fn miller_by_lines(&self) -> Result<Fp12, Fault> {
        let elements = self.elements::<Fp2>(1, self.extent(Role::Lines, 1))?;
        let (lines, _) = elements.as_chunks();
        Ok(miller_lines(&self.point(0)?, lines))
    }

    /// f^(-3 (p^12 - 1) / r): that of the pairing, of the conjugate.
    fn exponentiated(&self, f: Fp12) -> Fp12 {
        final_exponentiation::<Bls12381>(self.isa, f.conjugate())
    }

    /// The numbers of an operand, one after the other.
    fn bytes(&self, operand: usize, slots: usize) -> Vec<u8> {
        self.data[self.at[operand]..][..slots].iter().flat_map(|slot| *slot.value()).collect()
    }

    fn element<F: Coordinate>(&self, operand: usize) -> Result<F, Fault> {
        let bytes = self.bytes(operand, F::BYTES / SLOT_BYTES);
        F::read_le(&bytes).map_err(|_| Fault::NotReduced)
    }

    /// Returns elements one after the other, in this number of slots.
    fn elements<F: Coordinate>(&self, operand: usize, slots: usize) -> Result<Vec<F>, Fault> {
        let bytes = self.bytes(operand, slots);
        let elements = bytes.chunks(F::BYTES).map(F::read_le);
        elements.collect::<Result<_, _>>().map_err(|_| Fault::NotReduced)
    }

    fn fp12(&self, operand: usize) -> Result<Fp12, Fault> {
        let bytes = self.bytes(operand, FieldName::Fp12.slots());
        let mut parts = bytes.chunks(2 * SLOT_BYTES).map(Fp2::read_le);
        let mut next = || parts.next().expect("six parts").map_err(|_| Fault::NotReduced);
        let mut half = || Ok(Fp6::new(next()?, next()?, next()?));
        Ok(Fp12::new(half()?, half()?))
    }

    /// A point, which has to be on its curve.
    fn point<C: Group>(&self, operand: usize) -> Result<Affine<C>, Fault> {
        let Read { point, on_curve } = self.read(operand)?;
        if on_curve { Ok(point) } else { Err(Fault::NotOnCurve) }
    }

    fn read<C: Group>(&self, operand: usize) -> Result<Read<C>, Fault> {
        let form = self.form_of(operand);
        let slots = form.coordinate() * if form.is_jacobian() { 3 } else { 2 };
        let coordinates = self.elements::<C::Base>(operand, slots)?;
        Ok(match coordinates[..] {
            [x, y, z] => {
                let inverse = z.invert().unwrap_or(C::Base::ZERO);
                let square = inverse.square();
                let point = Affine::new_unchecked(x * square, y * square * inverse);
                let lost = point.is_identity() & !z.is_zero(); // the pair (0, 0) itself
                Read { point, on_curve: bool::from(point.is_on_curve() & !lost) }
            }
            _ => {
                let point = Affine::new_unchecked(coordinates[0], coordinates[1]);
                Read { point, on_curve: point.is_on_curve().into() }
            }
        })
    }

    fn write(&mut self, at: usize, kind: Kind, numbers: &[Fp]) {
        for (slot, number) in self.data[at..].iter_mut().zip(numbers) {
            *slot = Slot::new(number.to_le_bytes(), kind).expect("p has 381 bits");
        }
    }

    fn write_fp12(&mut self, operand: usize, f: Fp12) {
        self.write(self.at[operand], Kind::Fe12, &f.coefficients());
    }

    fn write_jacobian<C: Group>(&mut self, point: Affine<C>) {
        let [zero, one] = [C::Base::ZERO, C::Base::ONE];
        let coordinates = if bool::from(point.is_identity()) {
            [one, one, zero]
        } else {
            [point.x(), point.y(), one]
        };
        let numbers = coordinates.map(|a| a.coefficients()).concat();
        self.write(self.at[2], C::JACOBIAN, &numbers);
    }
}

impl Form {
    fn is_jacobian(self) -> bool {
        let (Self::G1 { jacobian } | Self::G2 { jacobian }) = self;
        jacobian
    }

    /// Slots of a coordinate.
    fn coordinate(self) -> usize {
        match self {
            Self::G1 { .. } => FieldName::Fp.slots(),
            Self::G2 { .. } => FieldName::Fp2.slots(),
        }
    }
}

/// A curve with its types.
trait Group: Curve<Base: Coordinate + Element> {
    const AFFINE: Kind;
    const JACOBIAN: Kind;
}

impl Group for G1 {
    const AFFINE: Kind = Kind::FpAf;
    const JACOBIAN: Kind = Kind::FpJb;
}

impl Group for G2 {
    const AFFINE: Kind = Kind::Fp2Af;
    const JACOBIAN: Kind = Kind::Fp2Jb;
}

/// What is written slot by slot.
trait Element:
    Copy + std::ops::Add<Output = Self> + std::ops::Sub<Output = Self> + std::ops::Mul<Output = Self>
{
    /// The coefficients, lowest first.
    fn coefficients(&self) -> Vec<Fp>;
}

impl Element for Fp {
    fn coefficients(&self) -> Vec<Fp> {
        vec![*self]
    }
}

impl Element for Fp2 {
    fn coefficients(&self) -> Vec<Fp> {
        vec![self.c0, self.c1]
    }
}

impl Element for Fp12 {
    fn coefficients(&self) -> Vec<Fp> {
        let halves = [self.c0, self.c1];
        halves
            .iter()
            .flat_map(|half| [half.c0, half.c1, half.c2])
            .flat_map(|a| [a.c0, a.c1])
            .collect()
    }
}
