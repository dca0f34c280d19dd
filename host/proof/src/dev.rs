//! Circuits and INSECURE keys: whoever knows the seed proves anything.
