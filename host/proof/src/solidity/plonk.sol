// SPDX-License-Identifier: MIT
// Written by `proofmill key solidity`.
pragma solidity ^0.8.20;

/// @title Verifier of PLONK proofs over BN254 for one circuit with @COUNT@.
/// @notice Gabizon, Williamson, Ciobotaru, "PLONK: Permutations over Lagrange-bases for Oecumenical Noninteractive
/// arguments of Knowledge", ePrint 2019/953, section 8.3, with the letters of the paper. W is the opening proof at zeta,
/// WW the one at zeta omega. Square brackets denote commitments, and -r_0 is the constant of the linearisation:
///
///     e(W + u WW, [tau]) = e(F - E + zeta W + u zeta omega WW, [1])
///     F = a b [qM] + a [qL] + b [qR] + c [qO] + [qC] + v [a] + v^2 [b] + v^3 [c] + v^4 [s1] + v^5 [s2]
///       - alpha beta (a + beta s1 + gamma)(b + beta s2 + gamma) zw [s3]
///       + (alpha (a + beta zeta + gamma)(b + beta k1 zeta + gamma)(c + beta k2 zeta + gamma) + alpha^2 L_0 + u) [z]
///       - (zeta^n - 1)([t1] + zeta^n [t2] + zeta^2n [t3])
///     E = (-r_0 + v a + v^2 b + v^3 c + v^4 s1 + v^5 s2 + u zw) [1]
///     -r_0 = x_0 L_0 + x_1 L_1 + ... + alpha^2 L_0 + alpha (a + beta s1 + gamma)(b + beta s2 + gamma)(c + gamma) zw
///
/// where L_i is the value at zeta of the polynomial that is 1 at omega^i and 0 at the other powers of omega.
contract @NAME@ {
    /// The order of the groups. A public input, an evaluation and a challenge are below it.
    uint256 private constant R = @R@;
    /// The prime of the coordinates.
    uint256 private constant Q = @Q@;

    // Precompiles of EIP-198, EIP-196 and EIP-197. Those of points fail for a coordinate that is not below Q and for a
    // point that is not on the curve. (0, 0) is the identity.
    uint256 private constant MOD_EXP = 5;
    uint256 private constant EC_ADD = 6;
    uint256 private constant EC_MUL = 7;
    uint256 private constant EC_PAIRING = 8;

    // The generator of G2. A coordinate c0 + c1 i is two words, c1 first.
    @ONE@

    // Offsets of the challenges in the memory that is used, behind the operands of precompiles.
    uint256 private constant BETA = 0x180;
    uint256 private constant GAMMA = 0x1a0;
    uint256 private constant ALPHA = 0x1c0;
    uint256 private constant ZETA = 0x1e0;
    uint256 private constant V = 0x200;
    uint256 private constant U = 0x220;

    // The verification key: n = @DOMAIN@ rows, omega a root of unity of order n, the shifts k1 and k2 of the cosets.
    @KEY@

    /// @notice Returns whether the proof is valid for the public inputs.
    /// @dev Returns false for a scalar of R or more and if a precompile fails, which consumes the gas that it was given.
    /// Hence false can also be the result of too little gas. Reverts if the call data is shorter than the arguments, and
    /// ignores what follows them. The identity is accepted as a point of the proof.
    /// @param proof The points a, b, c, z, t1, t2, t3, W and WW of G1, then the evaluations a, b, c, s1, s2 and zw.
    @PUBLIC_DOC@
    /// @return valid Whether the proof is valid.
    function verifyProof(uint256[24] calldata proof@PUBLIC_PARAMETER@) public view returns (bool valid) {
        assembly ("memory-safe") {
            // Returns whether the evaluations are below R.
            function areReduced(evaluations) -> ok {
                ok := lt(calldataload(evaluations), R)
                ok := and(ok, lt(calldataload(add(evaluations, 0x20)), R))
                ok := and(ok, lt(calldataload(add(evaluations, 0x40)), R))
                ok := and(ok, lt(calldataload(add(evaluations, 0x60)), R))
                ok := and(ok, lt(calldataload(add(evaluations, 0x80)), R))
                ok := and(ok, lt(calldataload(add(evaluations, 0xa0)), R))
            }

            // Stores the challenges: each is a hash, modulo R, of what the prover has sent since the one before it.
            function storeChallenges(@INPUTS_PARAMETER@m, data) {
                mstore(m, QM_X)
                mstore(add(m, 0x20), QM_Y)
                mstore(add(m, 0x40), QL_X)
                mstore(add(m, 0x60), QL_Y)
                mstore(add(m, 0x80), QR_X)
                mstore(add(m, 0xa0), QR_Y)
                mstore(add(m, 0xc0), QO_X)
                mstore(add(m, 0xe0), QO_Y)
                mstore(add(m, 0x100), QC_X)
                mstore(add(m, 0x120), QC_Y)
                mstore(add(m, 0x140), S1_X)
                mstore(add(m, 0x160), S1_Y)
                mstore(add(m, 0x180), S2_X)
                mstore(add(m, 0x1a0), S2_Y)
                mstore(add(m, 0x1c0), S3_X)
                mstore(add(m, 0x1e0), S3_Y)
                @HASHED_PUBLIC@
                calldatacopy(add(m, @WIRES_AT@), data, 0xc0)
                let challenge := mod(keccak256(m, @FIRST_ROUND@), R)
                mstore(add(m, BETA), challenge)
                mstore(m, challenge)
                challenge := mod(keccak256(m, 0x20), R)
                mstore(add(m, GAMMA), challenge)
                mstore(add(m, 0x20), challenge)
                calldatacopy(add(m, 0x40), add(data, 0xc0), 0x40)
                challenge := mod(keccak256(m, 0x80), R)
                mstore(add(m, ALPHA), challenge)
                mstore(m, challenge)
                calldatacopy(add(m, 0x20), add(data, 0x100), 0xc0)
                challenge := mod(keccak256(m, 0xe0), R)
                mstore(add(m, ZETA), challenge)
                mstore(m, challenge)
                calldatacopy(add(m, 0x20), add(data, 0x240), 0xc0)
                mstore(add(m, V), mod(keccak256(m, 0xe0), R))
                calldatacopy(m, add(data, 0x1c0), 0x80)
                mstore(add(m, U), mod(keccak256(m, 0x80), R))
            }

            // Returns zeta^n.
            function nthPower(zeta) -> power {
                power := zeta
                @SQUARINGS@
            }

            // Returns L_0 and x_0 L_0 + x_1 L_1 + ..., where L_i = omega^i (zeta^n - 1) / (n (zeta - omega^i)). The terms from
            // x_1 on are added as fractions, so that one inverse is enough. ok is 0 if a public input is not below R, or
            // zeta is a power of omega.
            function lagrange(@INPUTS_PARAMETER@m, vanishing) -> ok, l0, value {
                ok := 1
                @FRACTIONS@
                let first := add(mload(add(m, ZETA)), sub(R, 1))
                let divisor := mulmod(mulmod(N, first, R), denominator, R)
                mstore(m, 0x20)
                mstore(add(m, 0x20), 0x20)
                mstore(add(m, 0x40), 0x20)
                mstore(add(m, 0x60), divisor)
                mstore(add(m, 0x80), sub(R, 2))
                mstore(add(m, 0xa0), R)
                ok := and(ok, staticcall(gas(), MOD_EXP, m, 0xc0, m, 0x20))
                let inverse := mload(m)
                ok := and(ok, eq(mulmod(divisor, inverse, R), 1))
                let scale := mulmod(vanishing, inverse, R)
                l0 := mulmod(scale, denominator, R)
                @VALUE@
            }

            // Returns the factors of [z] without u, of [s3] without its sign, and -r_0 without the public inputs. A sum of
            // at most five scalars is below 2^256 and needs no reduction before a product.
            function linearisation(evaluations, m, l0) -> z, s3, constant {
                let beta := mload(add(m, BETA))
                let gamma := mload(add(m, GAMMA))
                let alpha := mload(add(m, ALPHA))
                let a := add(calldataload(evaluations), gamma)
                let b := add(calldataload(add(evaluations, 0x20)), gamma)
                let c := add(calldataload(add(evaluations, 0x40)), gamma)
                let place := mulmod(beta, mload(add(m, ZETA)), R)
                constant := mulmod(mulmod(alpha, alpha, R), l0, R)
                z := mulmod(add(a, place), add(b, mulmod(place, K1, R)), R)
                z := mulmod(z, add(c, mulmod(place, K2, R)), R)
                z := addmod(mulmod(z, alpha, R), constant, R)
                let s1 := mulmod(beta, calldataload(add(evaluations, 0x60)), R)
                let s2 := mulmod(beta, calldataload(add(evaluations, 0x80)), R)
                s3 := mulmod(mulmod(add(a, s1), add(b, s2), R), alpha, R)
                s3 := mulmod(s3, calldataload(add(evaluations, 0xa0)), R)
                constant := add(constant, mulmod(s3, c, R))
                s3 := mulmod(s3, beta, R)
            }

            // Returns the factors of [z] without u and of [s3] without its sign, and -r_0. ok is 0 as for lagrange.
            function factors(@INPUTS_PARAMETER@evaluations, m, power) -> ok, z, s3, constant {
                let l0, value
                ok, l0, value := lagrange(@INPUTS_PARAMETER@m, addmod(power, sub(R, 1), R))
                z, s3, constant := linearisation(evaluations, m, l0)
                constant := add(constant, value)
            }

            // Returns v a + v^2 b + v^3 c + v^4 s1 + v^5 s2 + u zw.
            function opened(evaluations, m) -> value {
                let v := mload(add(m, V))
                value := mulmod(v, calldataload(add(evaluations, 0x80)), R)
                value := mulmod(v, add(value, calldataload(add(evaluations, 0x60))), R)
                value := mulmod(v, add(value, calldataload(add(evaluations, 0x40))), R)
                value := mulmod(v, add(value, calldataload(add(evaluations, 0x20))), R)
                value := mulmod(v, add(value, calldataload(evaluations)), R)
                value := add(value, mulmod(mload(add(m, U)), calldataload(add(evaluations, 0xa0)), R))
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

            // Adds a multiple of a point of the key.
            function addKeyPoint(m, x, y, factor) -> ok {
                mstore(add(m, 0x40), x)
                mstore(add(m, 0x60), y)
                ok := addMultiple(m, factor)
            }

            for { let m := mload(0x40) } 1 { } {
                if iszero(areReduced(add(proof, 0x240))) { break }

                storeChallenges(@INPUTS_ARGUMENT@m, proof)
                let power := nthPower(mload(add(m, ZETA)))
                let ok, z, s3, e := factors(@INPUTS_ARGUMENT@add(proof, 0x240), m, power)
                if iszero(ok) { break }
                e := mod(add(e, opened(add(proof, 0x240), m)), R)

                // W + u WW, behind the operands of the other sum.
                let factor := mload(add(m, U))
                calldatacopy(m, add(proof, 0x1c0), 0x40)
                if iszero(addProofPoint(m, add(proof, 0x200), factor)) { break }
                mstore(add(m, 0xc0), mload(m))
                mstore(add(m, 0xe0), mload(add(m, 0x20)))

                // F - E + zeta W + u zeta omega WW.
                mstore(m, QC_X)
                mstore(add(m, 0x20), QC_Y)
                if iszero(addProofPoint(m, add(proof, 0xc0), addmod(z, factor, R))) { break }
                factor := mulmod(mulmod(factor, mload(add(m, ZETA)), R), OMEGA, R)
                if iszero(addProofPoint(m, add(proof, 0x200), factor)) { break }
                if iszero(addProofPoint(m, add(proof, 0x1c0), mload(add(m, ZETA)))) { break }
                factor := sub(R, addmod(power, sub(R, 1), R))
                if iszero(addProofPoint(m, add(proof, 0x100), factor)) { break }
                factor := mulmod(factor, power, R)
                if iszero(addProofPoint(m, add(proof, 0x140), factor)) { break }
                factor := mulmod(factor, power, R)
                if iszero(addProofPoint(m, add(proof, 0x180), factor)) { break }
                factor := mload(add(m, V))
                if iszero(addProofPoint(m, proof, factor)) { break }
                factor := mulmod(factor, factor, R)
                if iszero(addProofPoint(m, add(proof, 0x40), factor)) { break }
                factor := mulmod(factor, mload(add(m, V)), R)
                if iszero(addProofPoint(m, add(proof, 0x80), factor)) { break }
                factor := mulmod(factor, mload(add(m, V)), R)
                if iszero(addKeyPoint(m, S1_X, S1_Y, factor)) { break }
                factor := mulmod(factor, mload(add(m, V)), R)
                if iszero(addKeyPoint(m, S2_X, S2_Y, factor)) { break }
                if iszero(addKeyPoint(m, S3_X, S3_Y, sub(R, s3))) { break }
                if iszero(addKeyPoint(m, 1, sub(Q, 2), e)) { break }
                factor := calldataload(add(proof, 0x240))
                if iszero(addKeyPoint(m, QL_X, QL_Y, factor)) { break }
                factor := mulmod(factor, calldataload(add(proof, 0x260)), R)
                if iszero(addKeyPoint(m, QM_X, QM_Y, factor)) { break }
                if iszero(addKeyPoint(m, QR_X, QR_Y, calldataload(add(proof, 0x260)))) { break }
                if iszero(addKeyPoint(m, QO_X, QO_Y, calldataload(add(proof, 0x280)))) { break }

                // The product of the pairings with [1] and -[tau].
                mstore(add(m, 0x40), ONE_X1)
                mstore(add(m, 0x60), ONE_X0)
                mstore(add(m, 0x80), ONE_Y1)
                mstore(add(m, 0xa0), ONE_Y0)
                mstore(add(m, 0x100), NEG_TAU_X1)
                mstore(add(m, 0x120), NEG_TAU_X0)
                mstore(add(m, 0x140), NEG_TAU_Y1)
                mstore(add(m, 0x160), NEG_TAU_Y0)
                ok := staticcall(gas(), EC_PAIRING, m, 0x180, 0, 0x20)
                // A chain without the precompile returns nothing, and the word at 0 is not a result.
                valid := and(and(ok, eq(returndatasize(), 0x20)), eq(mload(0), 1))
                break
            }
        }
    }
}
