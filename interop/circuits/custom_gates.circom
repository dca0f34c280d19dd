pragma circom 2.2.0;
pragma custom_templates;

// Two instances of a custom gate, which only PLONK has.
template custom Range(bits) {
    signal input value;
    signal output same;
    same <-- value;
}

template Checked() {
    signal input value;
    signal output square;

    component small = Range(8);
    component wide = Range(64);
    small.value <== value;
    wide.value <== small.same;
    square <== wide.same * wide.same;
}

component main = Checked();
