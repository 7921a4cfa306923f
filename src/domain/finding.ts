// The results of an audit: the rules that it checked, and a finding for each row or file that breaks one.

export interface Finding {
  invariant: string
  meaning: string
  /** The faulty thing, such as `account 3`. */
  subject: string
  expected: number | string | null
  found: number | string | null
}

/** A rule of an audit, what it looked at, and how often it is broken. */
export interface CheckedRule {
  invariant: string
  meaning: string
  /** The checked things, such as `accounts`. */
  over: string
  /** How many of them. */
  checked: number
  /** Findings; an audit ends its search for more after the first 100. */
  breaches: number
}
