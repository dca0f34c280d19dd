pragma circom 2.2.0;

// Inputs of every kind: a number, an array, a bus and an array of buses. An input of 13 fails an assertion.

bus Point() {
    signal x;
    signal y[2];
}

template Inner() {
    signal input in;
    signal output out;
    assert(in != 13);
    out <== in * in;
}

template Signals() {
    signal input number;
    signal input array[2][3];
    input Point() point;
    input Point() points[2];
    signal output out;

    component inner = Inner();
    inner.in <== number;
    signal products[4];
    products[0] <== inner.out * array[0][0] + array[0][1];
    products[1] <== array[0][2] * array[1][0] + array[1][1] - array[1][2];
    products[2] <== point.x * point.y[0] + point.y[1] + points[0].y[1] - points[1].x;
    products[3] <== points[0].x * points[0].y[0] + points[1].y[0] - points[1].y[1];
    log("number", number);
    out <== products[0] + 2 * products[1] + 3 * products[2] + 4 * products[3];
}

component main = Signals();
