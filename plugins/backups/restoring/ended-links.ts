// Sessions and links, which no backup brings back: they may have been ended since it was made.
import { forgetSessions } from '../../../src/access/session-rows.ts'
import type { Db } from '../../../src/store/db.ts'
import { cancelLinks } from '../../mail/index.ts'

/** Ends every session and every link of a restored database, and cancels the mails that would bring such links. */
export const endLinks = (db: Db): Promise<void> =>
  db.begin(async (tx) => {
    await forgetSessions(tx)
    await cancelLinks(tx, { account_id: null, failure: 'Its link ended when a backup was restored.' })
  })
