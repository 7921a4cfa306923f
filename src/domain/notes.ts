// Notes of ledger entries: a line of text, shown in tables, the console and exports.
import { unseenIn } from '../utilities/visible-text.ts'
import { invalidRequest } from './errors.ts'

export const MAX_NOTE_CHARS = 500

/**
 * Checks a note.
 *
 * @param field its name in the request
 * @throws GatewayError invalid_request if it is too long, has several lines, or contains invisible characters
 */
export function checkNote(note: string, field = 'note'): void {
  if (note.length > MAX_NOTE_CHARS)
    throw invalidRequest(`${field}: must have at most ${MAX_NOTE_CHARS} characters.`, { param: field })
  const unseen = unseenIn(note)
  if (unseen !== undefined)
    throw invalidRequest(
      `${field}: contains the control character ${unseen}. Write a single line, without tabs, colours or direction marks.`,
      { param: field },
    )
}
