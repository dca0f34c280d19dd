// SPDX-License-Identifier: MIT
// Written by `proofmill key solidity`.
pragma solidity ^0.8.20;

/// @title Verifier of FFLONK proofs over BN254 for one circuit with @COUNT@.
/// @notice Gabizon, Williamson, "fflonk: a Fast-Fourier inspired verifier efficient version of PlonK", ePrint 2021/1167,
/// section 7, and the batched opening of Boneh, Drake, Fisch, Gabizon, ePrint 2020/081, section 4. Square brackets denote
/// commitments, and w is omega:
///
///     e(W2, [tau]) = e(C0 + f1 C1 + f2 C2 - Z0 W1 + y W2 - (R0 + f1 R1 + f2 R2) [1], [1])
///     f1 = alpha Z0 / Z1      f2 = alpha^2 Z0 / Z2
///     Z0 = y^8 - zeta      Z1 = y^4 - zeta      Z2 = (y^3 - zeta)(y^3 - zeta w)
///     R0 = ql + qr y + qo y^2 + qm y^3 + qc y^4 + s1 y^5 + s2 y^6 + s3 y^7
///     R1 = a + b y + c y^2 + t0 y^3
///     R2 = h + (hw - h)(y^3 - zeta) / (zeta w - zeta)      h = z + t1 y + t2 y^2      hw = zw + t1w y + t2w y^2
///     t0 = (a b qm + a ql + b qr + c qo + qc) / (zeta^n - 1) - x_0 l_0 - x_1 l_1 - ...      t1 = (z - 1) l_0
///     t2 = ((a + beta zeta + gamma)(b + beta k1 zeta + gamma)(c + beta k2 zeta + gamma) z
///         - (a + beta s1 + gamma)(b + beta s2 + gamma)(c + beta s3 + gamma) zw) / (zeta^n - 1)
///
/// where l_i = w^i / (n (zeta - w^i)). The proof has the inverse of the product of all denominators of a verifier that
/// interpolates R0, R1 and R2 by Lagrange polynomials. In closed form, with p public inputs, or 1 if there are none:
///
///     1 / inv = - 8^8 4^4 3^6 w^2 (1 - w)^6 zeta^20 (zeta^n - 1) Z0 Z1^2 Z2^2
///             * n^p (zeta - 1)(zeta - w) ... (zeta - w^(p - 1))
contract @NAME@ {
    /// The order of the groups. A public input, a scalar of the proof and a challenge are below it.
    uint256 private constant R = @R@;
    /// The prime of the coordinates.
    uint256 private constant Q = @Q@;

    // Precompiles of EIP-196 and EIP-197. They fail for a coordinate that is not below Q and for a point that is not on the
    // curve. (0, 0) is the identity.
    uint256 private constant EC_ADD = 6;
    uint256 private constant EC_MUL = 7;
    uint256 private constant EC_PAIRING = 8;

    // The generator of G2. A coordinate c0 + c1 i is two words, c1 first.
    @ONE@

    // Offsets in the proof.
    uint256 private constant C1 = 0x00;
    uint256 private constant C2 = 0x40;
    uint256 private constant W1 = 0x80;
    uint256 private constant W2 = 0xc0;
    uint256 private constant QL = 0x100;
    uint256 private constant QR = 0x120;
    uint256 private constant QM = 0x140;
    uint256 private constant QO = 0x160;
    uint256 private constant QC = 0x180;
    uint256 private constant S1 = 0x1a0;
    uint256 private constant S2 = 0x1c0;
    uint256 private constant S3 = 0x1e0;
    uint256 private constant A = 0x200;
    uint256 private constant B = 0x220;
    uint256 private constant C = 0x240;
    uint256 private constant Z = 0x260;
    uint256 private constant ZW = 0x280;
    uint256 private constant T1W = 0x2a0;
    uint256 private constant T2W = 0x2c0;
    uint256 private constant INV = 0x2e0;

    // Offsets in the memory that is used, behind what is hashed and the operands of precompiles: challenges, values of the
    // vanishing polynomials at y, y^3 - zeta, inverses, quotients.
    uint256 private constant BETA = 0x200;
    uint256 private constant GAMMA = 0x220;
    uint256 private constant ZETA = 0x240;
    uint256 private constant ALPHA = 0x260;
    uint256 private constant Y = 0x280;
    uint256 private constant Z0 = 0x2a0;
    uint256 private constant Z1 = 0x2c0;
    uint256 private constant Z2 = 0x2e0;
    uint256 private constant LINE = 0x300;
    uint256 private constant INV_ZETA = 0x320;
    uint256 private constant INV_Z1_Z2 = 0x340;
    uint256 private constant T0 = 0x360;
    uint256 private constant T1 = 0x380;
    uint256 private constant T2 = 0x3a0;

    // The verification key: n = @DOMAIN@ rows, omega a root of unity of order n, the shifts k1 and k2 of the cosets.
    // INV_STEP = 1 / (omega - 1), FACTOR = - 8^8 4^4 3^6 omega^2 (1 - omega)^6 n^(p - 1).
    @KEY@

    /// @notice Returns whether the proof is valid for the public inputs.
    /// @dev Returns false for a scalar of R or more and if a precompile fails, which consumes the gas that it was given.
    /// Hence false can also be the result of too little gas. Reverts if the call data is shorter than the arguments, and
    /// ignores what follows them. The identity is accepted as a point of the proof.
    /// @param proof The points C1, C2, W1 and W2 of G1, the evaluations ql, qr, qm, qo, qc, s1, s2, s3, a, b, c, z, zw, t1w
    /// and t2w, and inv.
    @PUBLIC_DOC@
    /// @return valid Whether the proof is valid.
    function verifyProof(bytes32[24] calldata proof@PUBLIC_PARAMETER@) public view returns (bool valid) {
        assembly ("memory-safe") {
            // Returns whether the scalars of the proof are below R.
            function areReduced(data) -> ok {
                ok := lt(calldataload(add(data, QL)), R)
                ok := and(ok, lt(calldataload(add(data, QR)), R))
                ok := and(ok, lt(calldataload(add(data, QM)), R))
                ok := and(ok, lt(calldataload(add(data, QO)), R))
                ok := and(ok, lt(calldataload(add(data, QC)), R))
                ok := and(ok, lt(calldataload(add(data, S1)), R))
                ok := and(ok, lt(calldataload(add(data, S2)), R))
                ok := and(ok, lt(calldataload(add(data, S3)), R))
                ok := and(ok, lt(calldataload(add(data, A)), R))
                ok := and(ok, lt(calldataload(add(data, B)), R))
                ok := and(ok, lt(calldataload(add(data, C)), R))
                ok := and(ok, lt(calldataload(add(data, Z)), R))
                ok := and(ok, lt(calldataload(add(data, ZW)), R))
                ok := and(ok, lt(calldataload(add(data, T1W)), R))
                ok := and(ok, lt(calldataload(add(data, T2W)), R))
                ok := and(ok, lt(calldataload(add(data, INV)), R))
            }

            // Stores the challenges: each is a hash, modulo R, of the one before it and what the prover has sent since. zeta
            // is the 24th power of such a hash.
            function storeChallenges(@INPUTS_PARAMETER@m, data) {
                mstore(m, C0_X)
                mstore(add(m, 0x20), C0_Y)
                @HASHED_PUBLIC@
                calldatacopy(add(m, @POINT_AT@), add(data, C1), 0x40)
                let challenge := mod(keccak256(m, @FIRST_ROUND@), R)
                mstore(add(m, BETA), challenge)
                mstore(m, challenge)
                challenge := mod(keccak256(m, 0x20), R)
                mstore(add(m, GAMMA), challenge)
                mstore(m, challenge)
                calldatacopy(add(m, 0x20), add(data, C2), 0x40)
                challenge := mod(keccak256(m, 0x60), R)
                mstore(m, challenge)
                challenge := mulmod(mulmod(challenge, challenge, R), challenge, R)
                challenge := mulmod(challenge, challenge, R)
                challenge := mulmod(challenge, challenge, R)
                mstore(add(m, ZETA), mulmod(challenge, challenge, R))
                calldatacopy(add(m, 0x20), add(data, QL), 0x1e0)
                challenge := mod(keccak256(m, 0x200), R)
                mstore(add(m, ALPHA), challenge)
                mstore(m, challenge)
                calldatacopy(add(m, 0x20), add(data, W1), 0x40)
                mstore(add(m, Y), mod(keccak256(m, 0x60), R))
            }

            // Stores Z0, Z1, Z2 and y^3 - zeta. A sum of at most five scalars is below 2^256 and needs no reduction before
            // a product.
            function storeAtY(m) {
                let y := mload(add(m, Y))
                let minus := sub(R, mload(add(m, ZETA)))
                let power := mulmod(y, y, R)
                let line := add(mulmod(power, y, R), minus)
                mstore(add(m, LINE), line)
                mstore(add(m, Z2), mulmod(line, addmod(line, mulmod(minus, sub(OMEGA, 1), R), R), R))
                power := mulmod(power, power, R)
                mstore(add(m, Z1), add(power, minus))
                mstore(add(m, Z0), addmod(mulmod(power, power, R), minus, R))
            }

            // Returns zeta^n - 1.
            function vanishing(zeta) -> value {
                value := zeta
                @SQUARINGS@
                value := add(value, sub(R, 1))
            }

            // Returns x_0 l_0 + x_1 l_1 + ... as sum / divisor, and l_0 as others / divisor: divisor is the product of
            // n (zeta - 1) and others, (zeta - w)(zeta - w^2) ... ok is 0 if a public input is not below R.
            function publicSum(@INPUTS_PARAMETER@m) -> ok, sum, divisor, others {
                ok := 1
                @FRACTIONS@
                let first := add(mload(add(m, ZETA)), sub(R, 1))
                others := denominator
                divisor := mulmod(mulmod(N, first, R), others, R)
                @SUM@
            }

            // Stores 1 / zeta and 1 / (Z1 Z2), and returns 1 / (zeta^n - 1) and 1 / divisor, all from inv. ok is 0 if inv is
            // not the inverse of the denominators.
            function inverses(inv, m, vanished, divisor) -> ok, byVanished, byDivisor {
                let zeta := mload(add(m, ZETA))
                let z12 := mulmod(mload(add(m, Z1)), mload(add(m, Z2)), R)
                let power := mulmod(zeta, zeta, R)
                let rest := mulmod(power, zeta, R)
                power := mulmod(power, power, R)
                power := mulmod(power, power, R)
                rest := mulmod(mulmod(rest, power, R), mulmod(power, FACTOR, R), R)
                rest := mulmod(mulmod(rest, z12, R), mload(add(m, Z0)), R)
                // inv becomes 1 / (zeta (zeta^n - 1) Z1 Z2 divisor).
                inv := mulmod(inv, rest, R)
                let left := mulmod(vanished, divisor, R)
                let right := mulmod(zeta, z12, R)
                ok := eq(mulmod(mulmod(left, right, R), inv, R), 1)
                left := mulmod(left, inv, R)
                right := mulmod(right, inv, R)
                mstore(add(m, INV_ZETA), mulmod(left, z12, R))
                mstore(add(m, INV_Z1_Z2), mulmod(left, zeta, R))
                byVanished := mulmod(right, divisor, R)
                byDivisor := mulmod(right, vanished, R)
            }

            // Returns t0 without the public inputs, times zeta^n - 1.
            function gate(data) -> value {
                let a := calldataload(add(data, A))
                let b := calldataload(add(data, B))
                value := add(calldataload(add(data, QL)), mulmod(calldataload(add(data, QM)), b, R))
                value := add(mulmod(value, a, R), mulmod(calldataload(add(data, QR)), b, R))
                value := add(value, mulmod(calldataload(add(data, QO)), calldataload(add(data, C)), R))
                value := add(value, calldataload(add(data, QC)))
            }

            // Returns t2 times zeta^n - 1.
            function permutation(data, m) -> value {
                let beta := mload(add(m, BETA))
                let gamma := mload(add(m, GAMMA))
                let a := add(calldataload(add(data, A)), gamma)
                let b := add(calldataload(add(data, B)), gamma)
                let c := add(calldataload(add(data, C)), gamma)
                let place := mulmod(beta, mload(add(m, ZETA)), R)
                value := mulmod(add(a, place), add(b, mulmod(place, K1, R)), R)
                value := mulmod(value, add(c, mulmod(place, K2, R)), R)
                value := mulmod(value, calldataload(add(data, Z)), R)
                a := add(a, mulmod(beta, calldataload(add(data, S1)), R))
                b := add(b, mulmod(beta, calldataload(add(data, S2)), R))
                c := add(c, mulmod(beta, calldataload(add(data, S3)), R))
                a := mulmod(mulmod(a, b, R), c, R)
                value := add(value, sub(R, mulmod(a, calldataload(add(data, ZW)), R)))
            }

            // Stores t0, t1 and t2. ok is 0 if a public input is not below R or inv is wrong.
            function storeQuotients(@INPUTS_PARAMETER@m, data) -> ok {
                let vanished := vanishing(mload(add(m, ZETA)))
                let reduced, sum, divisor, others := publicSum(@INPUTS_PARAMETER@m)
                ok, vanished, divisor := inverses(calldataload(add(data, INV)), m, vanished, divisor)
                ok := and(ok, reduced)
                mstore(add(m, T0), add(mulmod(gate(data), vanished, R), sub(R, mulmod(sum, divisor, R))))
                others := mulmod(others, divisor, R)
                mstore(add(m, T1), mulmod(add(calldataload(add(data, Z)), sub(R, 1)), others, R))
                mstore(add(m, T2), mulmod(permutation(data, m), vanished, R))
            }

            // Returns R0.
            function remainder0(data, y) -> value {
                value := mulmod(calldataload(add(data, S3)), y, R)
                value := mulmod(add(value, calldataload(add(data, S2))), y, R)
                value := mulmod(add(value, calldataload(add(data, S1))), y, R)
                value := mulmod(add(value, calldataload(add(data, QC))), y, R)
                value := mulmod(add(value, calldataload(add(data, QM))), y, R)
                value := mulmod(add(value, calldataload(add(data, QO))), y, R)
                value := mulmod(add(value, calldataload(add(data, QR))), y, R)
                value := add(value, calldataload(add(data, QL)))
            }

            // Returns R1.
            function remainder1(data, m, y) -> value {
                value := mulmod(mload(add(m, T0)), y, R)
                value := mulmod(add(value, calldataload(add(data, C))), y, R)
                value := mulmod(add(value, calldataload(add(data, B))), y, R)
                value := add(value, calldataload(add(data, A)))
            }

            // Returns R2.
            function remainder2(data, m, y) -> value {
                value := mulmod(mload(add(m, T2)), y, R)
                value := mulmod(add(value, mload(add(m, T1))), y, R)
                value := addmod(value, calldataload(add(data, Z)), R)
                let other := mulmod(calldataload(add(data, T2W)), y, R)
                other := mulmod(add(other, calldataload(add(data, T1W))), y, R)
                other := add(add(other, calldataload(add(data, ZW))), sub(R, value))
                let part := mulmod(mulmod(mload(add(m, LINE)), mload(add(m, INV_ZETA)), R), INV_STEP, R)
                value := add(value, mulmod(other, part, R))
            }

            // Adds a multiple of a point to the sum at m. The point is in the next two words.
            function addMultiple(m, factor) -> ok {
                mstore(add(m, 0x80), factor)
                if staticcall(gas(), EC_MUL, add(m, 0x40), 0x60, add(m, 0x40), 0x40) {
                    ok := staticcall(gas(), EC_ADD, m, 0x80, m, 0x40)
                }
            }

            // Adds a multiple of a point of the proof.
            function addProofPoint(m, point, factor) -> ok {
                calldatacopy(add(m, 0x40), point, 0x40)
                ok := addMultiple(m, factor)
            }

            for { let m := mload(0x40) } 1 { } {
                if iszero(areReduced(proof)) { break }

                storeChallenges(@INPUTS_ARGUMENT@m, proof)
                storeAtY(m)
                if iszero(storeQuotients(@INPUTS_ARGUMENT@m, proof)) { break }

                // C0 + f1 C1 + f2 C2 - Z0 W1 + y W2 - (R0 + f1 R1 + f2 R2) [1].
                let y := mload(add(m, Y))
                let e := remainder0(proof, y)
                let factor := mulmod(mulmod(mload(add(m, ALPHA)), mload(add(m, Z0)), R), mload(add(m, INV_Z1_Z2)), R)
                mstore(m, C0_X)
                mstore(add(m, 0x20), C0_Y)
                let multiple := mulmod(factor, mload(add(m, Z2)), R)
                e := add(e, mulmod(multiple, remainder1(proof, m, y), R))
                if iszero(addProofPoint(m, add(proof, C1), multiple)) { break }
                multiple := mulmod(mulmod(factor, mload(add(m, ALPHA)), R), mload(add(m, Z1)), R)
                e := add(e, mulmod(multiple, remainder2(proof, m, y), R))
                if iszero(addProofPoint(m, add(proof, C2), multiple)) { break }
                if iszero(addProofPoint(m, add(proof, W1), sub(R, mload(add(m, Z0))))) { break }
                if iszero(addProofPoint(m, add(proof, W2), y)) { break }
                mstore(add(m, 0x40), 1)
                mstore(add(m, 0x60), sub(Q, 2))
                if iszero(addMultiple(m, mod(e, R))) { break }

                // The product of the pairings with [1] and -[tau].
                mstore(add(m, 0x40), ONE_X1)
                mstore(add(m, 0x60), ONE_X0)
                mstore(add(m, 0x80), ONE_Y1)
                mstore(add(m, 0xa0), ONE_Y0)
                calldatacopy(add(m, 0xc0), add(proof, W2), 0x40)
                mstore(add(m, 0x100), NEG_TAU_X1)
                mstore(add(m, 0x120), NEG_TAU_X0)
                mstore(add(m, 0x140), NEG_TAU_Y1)
                mstore(add(m, 0x160), NEG_TAU_Y0)
                let ok := staticcall(gas(), EC_PAIRING, m, 0x180, 0, 0x20)
                // A chain without the precompile returns nothing, and the word at 0 is not a result.
                valid := and(and(ok, eq(returndatasize(), 0x20)), eq(mload(0), 1))
                break
            }
        }
    }
}
