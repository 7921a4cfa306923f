// A trial of a route: one small real request, what the provider answered, and how long it took.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask } from '../../app/client.ts'
import { messageOf } from '../thrown.ts'

export type TrialOrder = Parameters<typeof api.providers.try.post>[0]
export type TrialOutcome = NonNullable<Awaited<ReturnType<typeof api.providers.try.post>>['data']>

export interface Trial {
  busy: boolean
  outcome: TrialOutcome | null
  failure: string | null
  start: (order: TrialOrder) => Promise<void>
}

export function useTrial(): Trial {
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<TrialOutcome | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  return {
    busy,
    outcome,
    failure,
    async start(order) {
      setBusy(true)
      setFailure(null)
      setOutcome(null)
      try {
        setOutcome(await ask(api.providers.try.post(order)))
        void queries.invalidateQueries({ queryKey: ['providers'] })
      } catch (thrown) {
        setFailure(messageOf(thrown))
      } finally {
        setBusy(false)
      }
    },
  }
}
