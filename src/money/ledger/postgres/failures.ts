// Failures of batches on PostgreSQL, in words that callers may read.
import type { StorageTrouble } from '../../../domain/storage-failure.ts'
import type { Failure } from '../failure.ts'

export const SET_ASIDE: Failure = {
  unavailable: true,
  is_set_aside: true,
  cause: 'other transactions keep rows of the account locked',
  trouble: 'busy',
}

const IN_WORDS: Readonly<Record<StorageTrouble, string>> = {
  full: "the disk of the database's server is full",
  busy: 'other transactions keep rows of the database locked',
  read_only: "the database's server may only be read",
  unreachable: "the database's server does not answer",
  damaged: 'the database is damaged',
}

export const explainFailure = (failure: Failure): Failure =>
  failure.trouble ? { ...failure, reason: IN_WORDS[failure.trouble] } : failure

export const STALLED: Failure = {
  unavailable: true,
  cause: "the database's server did not answer in time",
  trouble: 'unreachable',
  reason: IN_WORDS.unreachable,
}
