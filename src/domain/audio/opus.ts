// The duration of an Opus packet, by its first bytes, since the container's times may be forged.
// RFC 6716, section 3.1 (the TOC byte) and 3.2.5 (packets of several frames)

const SILK_MS = [10, 20, 40, 60]
const HYBRID_MS = [10, 20]
const CELT_MS = [2.5, 5, 10, 20]
const MAX_PACKET_MS = 120

/** @returns 0 for an empty packet */
export function opusSeconds(bytes: Uint8Array, at: number, end: number): number {
  const toc = bytes[at]
  if (toc === undefined || at >= end) return 0
  const config = toc >> 3
  const sizes = config < 12 ? SILK_MS : config < 16 ? HYBRID_MS : CELT_MS
  const frame_ms = sizes[config % sizes.length] ?? 0
  const several = at + 1 < end ? (bytes[at + 1] ?? 0) & 63 : 0
  const frames = [1, 2, 2, several][toc & 3] ?? 0
  return Math.min(frame_ms * frames, MAX_PACKET_MS) / 1_000
}
