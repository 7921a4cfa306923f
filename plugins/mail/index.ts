// The exports for other plugins: queueing a mail, and whether a mail server is set.
export { isMailAddress } from '../../src/domain/mail-address.ts'
export type { MailFields } from './purposes.ts'
export { cancelLinks, queueMail } from './queue.ts'
export { canMail, isMailSet } from './settings.ts'
