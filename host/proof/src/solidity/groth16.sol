// SPDX-License-Identifier: MIT
// Written by `proofmill key solidity`.
pragma solidity ^0.8.20;

/// @title Verifier of Groth16 proofs over BN254 for one circuit with @COUNT@.
/// @notice Groth, "On the Size of Pairing-based Non-interactive Arguments", ePrint 2016/260, section 3.2:
///
///     e(A, B) = e(alpha, beta) e(X, gamma) e(C, delta)        X = IC_0 + x_0 IC_1 + x_1 IC_2 + ...
///
/// is checked as e(X, -gamma) e(A, B) e(-alpha, beta) e(C, -delta) = 1, so that only constants are negated and no
/// coordinate of the proof is reduced before a precompile has checked it.
contract @NAME@ {
    /// The order of the groups. A public input is below it.
    uint256 private constant R = @R@;

    // Precompiles of EIP-196 and EIP-197. They fail for a coordinate that is not below the field's prime, for a point
    // that is not on its curve, and for a point that is not in the subgroup of G2. (0, 0) is the identity.
    uint256 private constant EC_ADD = 6;
    uint256 private constant EC_MUL = 7;
    uint256 private constant EC_PAIRING = 8;

    // The verification key. A coordinate c0 + c1 i in G2 is two words, c1 first.
    @KEY@

    /// @notice Returns whether the proof is valid for the public inputs.
    /// @dev Returns false for a public input of R or more and if a precompile fails, which consumes the gas that it was
    /// given. Hence false can also be the result of too little gas. Reverts if the call data is shorter than the
    /// arguments, and ignores what follows them. The identity is accepted as a point of the proof.
    /// @param a The point A of G1: x, y.
    /// @param b The point B of G2: x, y, each with c1 first.
    /// @param c The point C of G1: x, y.
    @PUBLIC_DOC@
    /// @return valid Whether the proof is valid.
    function verifyProof(
        uint256[2] calldata a,
        uint256[2][2] calldata b,
        uint256[2] calldata c@PUBLIC_PARAMETER@
    ) public view returns (bool valid) {
        assembly ("memory-safe") {
            @ADD_MULTIPLE@
            // The pairs of the product from `pairs` on: X, -gamma; A, B; -alpha, beta; C, -delta. The words after X are
            // the operands of its sum before they are -gamma.
            let pairs := mload(0x40)
            let ok := 1
            mstore(pairs, IC_0_X)
            mstore(add(pairs, 0x20), IC_0_Y)
            @SUM@
            if ok {
                mstore(add(pairs, 0x40), NEG_GAMMA_X1)
                mstore(add(pairs, 0x60), NEG_GAMMA_X0)
                mstore(add(pairs, 0x80), NEG_GAMMA_Y1)
                mstore(add(pairs, 0xa0), NEG_GAMMA_Y0)
                calldatacopy(add(pairs, 0xc0), a, 0x40)
                calldatacopy(add(pairs, 0x100), b, 0x80)
                mstore(add(pairs, 0x180), NEG_ALPHA_X)
                mstore(add(pairs, 0x1a0), NEG_ALPHA_Y)
                mstore(add(pairs, 0x1c0), BETA_X1)
                mstore(add(pairs, 0x1e0), BETA_X0)
                mstore(add(pairs, 0x200), BETA_Y1)
                mstore(add(pairs, 0x220), BETA_Y0)
                calldatacopy(add(pairs, 0x240), c, 0x40)
                mstore(add(pairs, 0x280), NEG_DELTA_X1)
                mstore(add(pairs, 0x2a0), NEG_DELTA_X0)
                mstore(add(pairs, 0x2c0), NEG_DELTA_Y1)
                mstore(add(pairs, 0x2e0), NEG_DELTA_Y0)
                ok := staticcall(gas(), EC_PAIRING, pairs, 0x300, 0, 0x20)
                // A chain without the precompile returns nothing, and the word at 0 is not a result.
                valid := and(and(ok, eq(returndatasize(), 0x20)), eq(mload(0), 1))
            }
        }
    }
}
