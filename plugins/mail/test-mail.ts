// The test of the mail server: one mail, sent at once without the queue, and its result with advice.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { conflict, invalidRequest } from '../../src/domain/errors.ts'
import { isMailAddress } from '../../src/domain/mail-address.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import { composeMessage } from './message.ts'
import { scrub } from './scrubbing.ts'
import { mailSettings } from './settings.ts'
import { ADVICE, MailRefusal, smtpClient } from './smtp.ts'

interface TestResult {
  /** Null if the server accepted the mail. */
  failure: string | null
  /** The result, with advice. */
  sentence: string
}

/**
 * Sends a test mail.
 *
 * @throws GatewayError conflict if no mail server is set; invalid_request for a malformed address
 */
export async function sendTest(
  catalogue: Pick<Catalogue, 'brand' | 'sections' | 'server'>,
  to: string,
): Promise<TestResult> {
  const { sending, unavailable } = mailSettings.of(catalogue)
  if (!sending)
    throw conflict(
      unavailable === undefined
        ? 'No mail server is set. Set one, with a sender, first.'
        : `No mail can be sent from here: ${unavailable}. Set it, and try again.`,
      { code: 'no_mail' },
    )
  if (!isMailAddress(to))
    throw invalidRequest(
      `to: "${visibleLine(to)}" is not an email address. Write one such as anna@example.com.`,
      {
        param: 'to',
      },
    )
  const { server, from } = sending
  const mail = {
    purpose: 'test' as const,
    fields: {},
    recipient: to,
    language: 'en',
    link: null,
    link_expires_at_ms: null,
    message_id: crypto.randomUUID(),
  }
  try {
    await smtpClient(server).send(composeMessage(mail, { catalogue, from, unsubscribe_token: undefined }))
  } catch (thrown) {
    const failure = scrub(thrown, null, server)
    return {
      failure,
      sentence: `${failure} ${thrown instanceof MailRefusal ? ADVICE[thrown.step] : ''}`.trim(),
    }
  }
  return {
    failure: null,
    sentence: `${server.host}:${server.port} took the test mail to ${to}. If it does not arrive, look in the spam folder.`,
  }
}
