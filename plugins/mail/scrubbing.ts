// The stored failure of a mail: the mail server's answer on one line, without the password and the link's token.
import { createRedactor } from '../../src/observe/redact.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import type { MailServer } from './settings.ts'

const MAX_FAILURE_CHARS = 300

/** @param link the path of the mail's link, with its token */
export function scrub(thrown: unknown, link: string | null, { credentials }: MailServer): string {
  const token = link?.split(/[#?]/).at(-1) ?? ''
  const { hide } = createRedactor([credentials?.password ?? '', token])
  // The redactor ignores short texts, so a short password is replaced here.
  const secret = credentials?.password
  const text = hide(messageOf(thrown))
  const line = visibleLine((secret ? text.replaceAll(secret, '[hidden]') : text).replace(/\s+/g, ' ').trim())
  return line.length > MAX_FAILURE_CHARS ? `${line.slice(0, MAX_FAILURE_CHARS - 1)}…` : line
}
