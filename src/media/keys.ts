// Keys of stored files: paths that cannot leave the store's folder. Pure.
import { invalidRequest } from '../domain/errors.ts'

/** Letters, digits, `_`, `-` and dots; no leading dot, so that no segment is hidden, `.` or `..`. */
const SEGMENT = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}'
const KEY = new RegExp(`^${SEGMENT}(?:/${SEGMENT}){0,3}$`)
const MAX_KEY_CHARS = 255

/** Whether a text is a key: one to four segments, at most 255 characters, and none with a special meaning to a file system. */
export const isFileKey = (text: string): boolean => text.length <= MAX_KEY_CHARS && KEY.test(text)

/** @throws GatewayError invalid_request with code `invalid_image_key` */
export function assertFileKey(key: string): void {
  if (!isFileKey(key))
    throw invalidRequest('The image key is malformed. Use the key from the upload.', {
      code: 'invalid_image_key',
    })
}
