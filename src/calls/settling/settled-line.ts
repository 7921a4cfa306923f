// The log line of a settled call, written from a template, since every call has one.
import { formatUsd } from '../../domain/money.ts'
import type { PostOperation, VoidOperation } from '../../money/ledger/operations.ts'
import type { TextLogger } from '../../observe/log.ts'
import type { RecordedCall } from '../life/call.ts'
import { costOf } from './queue.ts'

/** @param late the hold had expired */
export function logSettled(
  log: TextLogger,
  { caller: { account, key }, origin }: Pick<RecordedCall, 'caller' | 'origin'>,
  operation: PostOperation | VoidOperation,
  late = false,
): void {
  const { surface, model, provider, outcome, status, duration_ms, estimated } = operation.call
  const caller = `"account":${log.quoted(account.name)},"key":${log.quoted(key.prefix)}`
  const served = `"surface":"${surface}","model":${log.quoted(model)},"provider":${log.quoted(provider)}`
  const end = `"outcome":"${outcome}","status":${status},"duration_ms":${duration_ms}`
  const cost = `"cost_usd":"${formatUsd(costOf(operation))}"${operation.is_covered ? ',"paid_by":"plan"' : ''}`
  const doubts = `${estimated ? ',"estimated":true' : ''}${late ? ',"late":true' : ''}`
  log.infoText(`"request_id":"${origin.request_id}",${caller},${served},${end},${cost}${doubts}`, 'call')
}
