// A finding of an audit: one row or file that breaks an invariant.

export interface Finding {
  invariant: string
  meaning: string
  /** What is wrong, such as `account 3`. */
  subject: string
  expected: number | string | null
  found: number | string | null
}
