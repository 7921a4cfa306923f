// An action: it runs once, reloads what it changed, and reports its result.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '../app/client.ts'
import { forgetToasts, type Toast, toast } from '../app/toasts.tsx'

/** Each action has its line there. */
export const AUDIT_LOG = 'audit-log'

interface ActionOptions<Input, Result> {
  /** Does it: `(id) => send(api.accounts({ id }).suspend.post())`. */
  work: (input: Input) => Promise<Result>
  /**
   * The first parts of the keys of what it changes: `['accounts', 'books']`. Those are read again, and the audit log. A later result
   * takes the place of an earlier one of the same first subject.
   */
  changes: readonly string[]
  /** Its result in words: "alice is suspended". */
  done?: (input: Input, result: Result) => Pick<Toast, 'text' | 'undo'> | undefined
}

export interface Action<Input, Result> {
  /** Does it, and shows a failure as a toast: for buttons and switches. */
  run: (input: Input) => void
  /** Does it, and throws what fails: for forms and dialogs, which show it themselves. */
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
    // A failure that a form shows would contradict an earlier success in the corner.
    onMutate: () => forgetToasts(subject),
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
