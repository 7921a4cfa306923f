// The link to the page on which the operator can act on an open alert.
interface AlertFacts {
  rule: string
  subject: string
  account_id: number | null
}

export function linkOf({ rule, subject, account_id }: AlertFacts): readonly [href: string, words: string] {
  switch (rule) {
    case 'low_balance':
    case 'account_spend':
      // By id, because the account may have been renamed since.
      return [`/accounts/${account_id ?? encodeURIComponent(subject)}`, `Open ${subject}`]
    case 'key_spend':
      return [`/keys?search=${encodeURIComponent(subject)}`, 'Open the key']
    case 'automatic_top_up':
    case 'payment':
      if (subject.startsWith('order '))
        return [`/orders/${encodeURIComponent(subject.slice('order '.length))}`, `Open ${subject}`]
      return account_id === null
        ? ['/payments', 'Open payments']
        : [`/accounts/${account_id}`, 'Open the account']
    case 'mail':
      return ['/system/mails?state=failed', 'Open mails']
    case 'sign_up':
      return ['/sign-ups', 'Open sign-ups']
    default:
      return ['/system', 'Open System']
  }
}
