// The end of sessions and links at a restore: they may have been revoked since the backup was made.
import { forgetSessions } from '../../../src/access/session-rows.ts'
import type { Db } from '../../../src/store/db.ts'
import { cancelLinks } from '../../mail/index.ts'

/** Ends every session and link of a restored database, and cancels queued mails with such links. */
export const endLinks = (db: Db): Promise<void> =>
  db.begin(async (tx) => {
    await forgetSessions(tx)
    await cancelLinks(tx, { account_id: null, failure: 'Its link ended when a backup was restored.' })
  })
