pragma circom 2.2.0;

// Powers of a secret from its square on, all of them public.
template Powers(count) {
    signal input base;
    signal output powers[count];

    powers[0] <== base * base;
    for (var i = 1; i < count; i++) {
        powers[i] <== powers[i - 1] * base;
    }
}

component main = Powers(12);
