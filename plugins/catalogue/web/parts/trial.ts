// A trial of a route: one small real request, what the provider answered, and how long it took.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type AnswerOf, api, ask } from '../../../console/web/app/client.ts'

type TrialOrder = Parameters<typeof api.providers.try.post>[0]
export type TrialOutcome = AnswerOf<typeof api.providers.try.post>

export function useTrial() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (order: TrialOrder) => ask(api.providers.try.post(order)),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['providers'] }),
  })
}
