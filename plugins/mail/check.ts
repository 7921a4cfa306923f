// The checks of mail: the mail server accepts a connection and the password, and no mails of the last day have failed.
import { type CheckTime, type Diagnosis, diagnosesOf, type ReadContext } from '../../src/app/checks/check.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { Db } from '../../src/store/db.ts'
import { counted } from '../../src/utilities/counted.ts'
import { scrub } from './scrubbing.ts'
import { mailSettings } from './settings.ts'
import { ADVICE, MailRefusal, smtpClient } from './smtp.ts'
import { countMails } from './store.ts'

const of_server = diagnosesOf('mail server')
const of_mails = diagnosesOf('mails')

export async function checkMailServer({ catalogue }: Pick<ReadContext, 'catalogue'>): Promise<Diagnosis[]> {
  const { sending, unavailable } = mailSettings.of(catalogue)
  if (unavailable !== undefined)
    return [
      of_server.warn(
        `not checked: ${unavailable}`,
        'Set it for this command, too, and check that the gateway has it.',
      ),
    ]
  if (!sending) return [of_server.ok('not configured: links are shown, and not sent')]
  const { server, from } = sending
  try {
    await smtpClient(server).look()
    const signed_in = server.credentials ? `, signed in as ${server.credentials.user}` : ''
    return [of_server.ok(`${server.host}:${server.port} answers${signed_in}; mails are from ${from.address}`)]
  } catch (thrown) {
    const advice = thrown instanceof MailRefusal ? ADVICE[thrown.step] : ADVICE.connection
    return [of_server.fail(scrub(thrown, null, server), advice)]
  }
}

/** Warns, which raises an alert, if mails of the last day have failed. */
export async function checkMails(
  { db, now }: { db: Db; now: () => number },
  _: CheckTime,
): Promise<Diagnosis[]> {
  const { failed, queued } = await countMails(db, { since_ms: now() - DAY_MS })
  if (failed === 0)
    return [of_mails.ok(queued === 0 ? 'none waits' : `${counted(queued, 'mail')} to be sent`)]
  return [
    of_mails.warn(
      `${counted(failed, 'mail')} of the last day could not be sent`,
      'See why: `tollgate mail list --state failed`, or System, Mails.',
    ),
  ]
}
