// The results of an audit: the checked rules, and a finding for each row or file that breaks one.

export interface Finding {
  invariant: string
  meaning: string
  /** The faulty thing, such as `account 3`. */
  subject: string
  expected: number | string | null
  found: number | string | null
}

/** A rule of an audit, the number of things checked, and the number of breaches. */
export interface CheckedRule {
  invariant: string
  meaning: string
  /** The kind of things checked, such as `accounts`. */
  over: string
  checked: number
  /** The number of findings; an audit stops its search after the first 100. */
  breaches: number
}
