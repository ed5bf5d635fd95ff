int host() { return STEP; }
