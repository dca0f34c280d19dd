# A job that is answered at once: it only keeps its turn.
