// Actions of pages: each runs once at a time, reloads the queries of what it changed, and reports its result.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '../app/client.ts'
import { dismissToasts, type Toast, toast } from '../app/toasts.tsx'

/** The query key of the audit log, in which each action has a line. */
export const AUDIT_LOG = 'audit-log'

interface ActionOptions<Input, Result> {
  /** Performs the action: `(id) => send(api.accounts({ id }).suspend.post())`. */
  work: (input: Input) => Promise<Result>
  /**
   * The subjects that the action changes, which are the first parts of query keys: `['accounts', 'books']`. Their queries and the audit
   * log are reloaded. The toast replaces an earlier one with the same first subject.
   */
  changes: readonly string[]
  /** Returns the toast of the result: "alice is suspended". */
  done?: (input: Input, result: Result) => Pick<Toast, 'text' | 'undo'> | undefined
}

export interface Action<Input, Result> {
  /** Runs the action, and shows a failure as a toast: for buttons and switches. */
  run: (input: Input) => void
  /** Runs the action, and throws its failure: for forms and dialogs, which show it. */
  runOrThrow: (input: Input) => Promise<Result>
  busy: boolean
}

export function useAction<Input, Result>({
  work,
  changes,
  done,
}: ActionOptions<Input, Result>): Action<Input, Result> {
  const queries = useQueryClient()
  const [subject = ''] = changes
  const { mutateAsync, isPending } = useMutation({
    mutationFn: work,
    // An earlier toast of success would contradict a failure that the form shows.
    onMutate: () => dismissToasts(subject),
    onSuccess(result, input) {
      const words = done?.(input, result)
      if (words) toast({ ...words, subject })
      for (const changed of [...changes, AUDIT_LOG]) void queries.invalidateQueries({ queryKey: [changed] })
    },
  })
  return {
    busy: isPending,
    runOrThrow: mutateAsync,
    run(input) {
      mutateAsync(input).catch((failure: unknown) =>
        toast({ tone: 'bad', text: messageOf(failure), subject }),
      )
    },
  }
}
