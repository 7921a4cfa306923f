// The check of sign-up: whether sign-ups have used up the mails of this hour, and whether the list of throw-away domains can be read.
import { type Diagnosis, diagnosesOf } from '../../src/app/checks/check.ts'
import type { Db } from '../../src/store/db.ts'
import { counted } from '../../src/utilities/counted.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { countOf } from './counts.ts'
import type { SignUpParts } from './parts.ts'
import { mailsThisHour } from './policy.ts'
import { countPending } from './sign-ups.ts'

const of_sign_ups = diagnosesOf('sign-ups')

/** @param own the parts of a running gateway; undefined without one, when sign-up does not run */
export async function checkSignUps(
  { db, now }: { db: Db; now: () => number },
  own: Pick<SignUpParts, 'settings' | 'disposable'> | undefined,
): Promise<Diagnosis[]> {
  if (!own) return []
  const { mode, mails_per_hour, disposable_domains } = own.settings()
  if (mode === 'closed') return [of_sign_ups.ok('sign-up is closed')]
  const unreadable = await readingFailure(own, disposable_domains)
  if (unreadable !== undefined) return [of_sign_ups.fail(unreadable, 'Until then nobody can sign up.')]
  const mails = await countOf(db, mailsThisHour(now()))
  if (mails_per_hour > 0 && mails >= mails_per_hour)
    return [
      of_sign_ups.warn(
        `sign-ups sent ${counted(mails, 'mail')} this hour, which is the limit: further sign-ups are refused until the next hour`,
        'See `tollgate sign-up list`. If they are real, raise mails_per_hour in [sign_up]; if not, set a challenge or close sign-up.',
      ),
    ]
  const pending = await countPending(db)
  return [of_sign_ups.ok(`${mode}; ${counted(pending, 'sign-up')} pending`)]
}

async function readingFailure(
  { disposable }: Pick<SignUpParts, 'disposable'>,
  file: string | undefined,
): Promise<string | undefined> {
  try {
    await disposable.all(file)
    return undefined
  } catch (thrown) {
    return messageOf(thrown)
  }
}
