// The parse of JSON that is still in bytes.
import type { Json } from './json.ts'

/** A byte order mark is not JSON. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws TypeError for bytes that are not UTF-8, SyntaxError for text that is not JSON */
export const parseJsonBytes = (bytes: Uint8Array): Json => JSON.parse(UTF8.decode(bytes))
