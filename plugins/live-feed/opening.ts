// The live feed's running part: activity of this gateway, and of others over its database.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { type Activity, createActivity } from './activity.ts'
import { followOthersCalls } from './others-calls.ts'

interface OpenActivity {
  activity: Activity
  close(): Promise<void>
}

/** Live activity of a gateway; of others over its database, too, where there are any. */
export function openActivity({ db, calls, operations }: Gateway): OpenActivity {
  const { events, running, settlements, is_shared, now, log } = calls
  const activity = createActivity(events, log)
  const own = operations.gateways()?.alive.find(({ is_this }) => is_this)
  if (!is_shared || !own) return { activity, close: async () => {} }
  const isUnderWay = (hold_id: number) => running.isUnderWay(hold_id) || settlements.has(hold_id)
  const parts = { db, gateway_id: own.id, activity, events, isUnderWay, now, log }
  return { activity, close: followOthersCalls(parts) }
}
