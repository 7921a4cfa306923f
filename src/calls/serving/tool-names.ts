// The tool names in a provider's answer: the caller's names replace the sent ones.
import { type ByteString, toByteString } from '../../protocols/wire/byte-string.ts'

/** Sent names, with the caller's names. */
type Renamed = ReadonlyMap<string, string>

/** A JSON string that may be a shortened name. */
const NAME = /"[a-zA-Z0-9_-]{1,128}"/g

/**
 * Replaces sent names by the caller's in the data of events; undefined if none differ. A shortened name ends in a hash, so a JSON
 * string that equals it is the name; inside another string its quotes would be escaped. The data is scanned once, for any number of
 * names.
 */
export function restoreEach(renamed: Renamed): ((data: ByteString) => ByteString) | undefined {
  if (renamed.size === 0) return undefined
  const names = new Map(
    [...renamed].map(([sent, name]) => [
      JSON.stringify(sent),
      toByteString(Buffer.from(JSON.stringify(name))),
    ]),
  )
  return (data) => data.replace(NAME, (text) => names.get(text) ?? text)
}

/** Restores the names in a whole answer. Returns the same bytes if nothing changes. */
export function restoreBytes(bytes: Uint8Array<ArrayBuffer>, renamed: Renamed): Uint8Array<ArrayBuffer> {
  const restore = restoreEach(renamed)
  return restore ? Buffer.from(restore(toByteString(bytes)), 'latin1') : bytes
}
