// Notes of entries: a line of text, which people read in tables, in the console and in exports.
import { invalidRequest } from '../../src/domain/errors.ts'
import { unseenIn } from '../../src/utilities/visible-text.ts'

export const MAX_NOTE_CHARS = 500

/**
 * Checks a note as somebody types it.
 *
 * @throws GatewayError invalid_request for one that is too long, has several lines, or holds what cannot be seen
 */
export function checkNote(note: string): void {
  if (note.length > MAX_NOTE_CHARS)
    throw invalidRequest(`note: must have at most ${MAX_NOTE_CHARS} characters.`, { param: 'note' })
  const unseen = unseenIn(note)
  if (unseen !== undefined)
    throw invalidRequest(
      `note: contains the control character ${unseen}. Write a single line, without tabs, colours or direction marks.`,
      { param: 'note' },
    )
}
