// What is known of every Vorbis stream, whatever it says of itself.

/** Vorbis at its highest quality; its packets do not tell their duration. */
export const MAX_VORBIS_BYTES_PER_S = 64_000
