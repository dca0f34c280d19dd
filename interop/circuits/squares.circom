pragma circom 2.2.0;

// A secret that is squared and added to, so many times; the addend and the end are public. Of any prime field.
template Squares(length) {
    signal input secret;
    signal input addend;
    signal output end;

    signal values[length + 1];
    values[0] <== secret;
    for (var i = 0; i < length; i++) {
        values[i + 1] <== values[i] * values[i] + addend;
    }
    end <== values[length];
}

component main {public [addend]} = Squares(1000);
