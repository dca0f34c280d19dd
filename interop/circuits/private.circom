pragma circom 2.2.0;

// A number and its fourth power, and nothing public.
template Private() {
    signal input number;
    signal square;
    signal fourth;

    square <== number * number;
    fourth <== square * square;
}

component main = Private();
