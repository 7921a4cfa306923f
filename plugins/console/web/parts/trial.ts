// Test of a route by one small real request. A successful one ends a failure.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type AnswerOf, api, send } from '../app/client.ts'

type TrialOrder = Parameters<typeof api.providers.try.post>[0]
export type TrialOutcome = AnswerOf<typeof api.providers.try.post>

export function useTrial() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (order: TrialOrder) => send(api.providers.try.post(order)),
    onSuccess() {
      for (const changed of ['health', 'providers', 'models'])
        void queries.invalidateQueries({ queryKey: [changed] })
    },
  })
}
