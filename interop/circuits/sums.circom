pragma circom 2.2.0;

// Products of sums of many terms; the last is public. With PLONK each sum is a chain of additions.
template Sums(count) {
    signal input terms[count];
    signal output last;
    signal products[count];

    var sum = 1;
    for (var i = 0; i < count; i++) {
        sum += (i + 2) * terms[i];
        products[i] <== sum * (sum - terms[i] + 7);
    }
    last <== products[count - 1];
}

component main = Sums(24);
