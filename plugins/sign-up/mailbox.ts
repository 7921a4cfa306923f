// Mailboxes: addresses that reach the same one, and the domains that limits and lists match.
import { domainOf } from '../../src/domain/mail-address.ts'

/** Addresses of large providers belong to unrelated people: no limit per domain applies to them. */
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
 * Returns the mailbox of an address. Text after "+" is a label of the same mailbox at nearly every provider (RFC 5233). Only for counting: mails go
 * to the address as typed.
 *
 * @param email normalized by `personsAddress`
 */
export function mailboxOf(email: string): string {
  const domain = domainOf(email)
  const typed = email.slice(0, -domain.length - 1)
  const local = typed.replace(/(?<=.)\+.*$/, '')
  return DOTS_IGNORED.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`
}

/** Whether a set contains a domain or one of its parent domains. */
export function hasDomain(domains: ReadonlySet<string>, domain: string): boolean {
  const parts = domain.split('.')
  return parts.some((_, at) => domains.has(parts.slice(at).join('.')))
}
