pragma circom 2.1.0;

// Factors of a public product, none of which is 1.
template Factors(n) {
    signal input factors[n];
    signal output product;
    signal products[n];
    products[0] <== factors[0];
    for (var i = 0; i < n; i++) {
        assert(factors[i] != 1);
        if (i > 0) {
            products[i] <== products[i - 1] * factors[i];
        }
    }
    product <== products[n - 1];
}

component main = Factors(60);
