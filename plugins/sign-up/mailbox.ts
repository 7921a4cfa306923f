// Mailboxes: which addresses reach the same one, and the domains that limits and lists are about.
import { domainOf } from '../../src/domain/mail-address.ts'

/** Their addresses are of people who have nothing to do with each other, so that no limit by domain counts them together. */
const LARGE_PROVIDERS: ReadonlySet<string> = new Set(
  (
    'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com yahoo.co.uk yahoo.co.jp yahoo.fr yahoo.de ' +
    'ymail.com icloud.com me.com mac.com aol.com proton.me protonmail.com pm.me gmx.de gmx.net gmx.at gmx.ch gmx.com web.de ' +
    't-online.de orange.fr free.fr laposte.net libero.it mail.ru yandex.ru yandex.com ya.ru bk.ru list.ru inbox.ru qq.com ' +
    '163.com 126.com sina.com foxmail.com naver.com daum.net hanmail.net zoho.com fastmail.com hotmail.co.uk hotmail.fr ' +
    'hotmail.de outlook.de outlook.fr comcast.net att.net verizon.net uol.com.br rediffmail.com'
  ).split(' '),
)

export const isLargeProvider = (domain: string): boolean => LARGE_PROVIDERS.has(domain)

/** Google ignores dots: https://support.google.com/mail/answer/7436150 */
const DOTS_IGNORED: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com'])

/**
 * The mailbox of an address: what stands behind a "+" is a label of the same mailbox nearly everywhere (RFC 5233). For counting alone: mails go to the
 * address as it was typed.
 *
 * @param email as `personsAddress` has it
 */
export function mailboxOf(email: string): string {
  const domain = domainOf(email)
  const typed = email.slice(0, -domain.length - 1)
  const local = typed.replace(/(?<=.)\+.*$/, '')
  return DOTS_IGNORED.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`
}

/** Whether a set has a domain, or one that it is below. */
export function hasDomain(domains: ReadonlySet<string>, domain: string): boolean {
  const parts = domain.split('.')
  return parts.some((_, at) => domains.has(parts.slice(at).join('.')))
}
