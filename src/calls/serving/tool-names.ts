// The names of tools in a provider's answer: those that the caller knows, in place of the ones that were sent.
import { type ByteString, toByteString } from '../../protocols/wire/byte-string.ts'

/** As sent, and as the caller knows them. */
type Renamed = ReadonlyMap<string, string>

/** A string of JSON that may be a shortened name. */
const NAME = /"[a-zA-Z0-9_-]{1,128}"/g

/**
 * Puts the caller's names into the data of events; undefined where none differs. A name that was shortened ends in a hash: where a
 * string of JSON is exactly that, it is the name. Inside another string its quotes would be escaped. The data is gone through once,
 * however many names there are.
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

/** The same for a whole answer; the very same bytes where nothing changes. */
export function restoreBytes(bytes: Uint8Array<ArrayBuffer>, renamed: Renamed): Uint8Array<ArrayBuffer> {
  const restore = restoreEach(renamed)
  return restore ? Buffer.from(restore(toByteString(bytes)), 'latin1') : bytes
}
