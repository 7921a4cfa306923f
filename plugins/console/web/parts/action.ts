// An action: it is done once, changes what is in view, and says what came of it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '../app/client.ts'
import { forgetToasts, type Toast, toast } from '../app/toasts.tsx'

/** Each action has its line there. */
export const AUDIT_LOG = 'audit-log'

interface ActionOptions<Given, Result> {
  /** Does it: `(id) => send(api.accounts({ id }).suspend.post())`. */
  work: (given: Given) => Promise<Result>
  /**
   * The first parts of the keys of what it changes: `['accounts', 'books']`. Those are asked again, and the audit log. A later result
   * takes the place of an earlier one of the same first subject.
   */
  changes: readonly string[]
  /** What came of it: "alice is suspended". Nothing is said where it is left out. */
  done?: (given: Given, result: Result) => Pick<Toast, 'text' | 'undo'> | undefined
}

export interface Action<Given, Result> {
  /** Does it, and shows a failure as a toast: for buttons and switches. */
  run: (given: Given) => void
  /** Does it, and throws what fails: for forms and dialogs, which show it themselves. */
  runOrThrow: (given: Given) => Promise<Result>
  busy: boolean
}

export function useAction<Given, Result>({
  work,
  changes,
  done,
}: ActionOptions<Given, Result>): Action<Given, Result> {
  const queries = useQueryClient()
  const [subject = ''] = changes
  const { mutateAsync, isPending } = useMutation({
    mutationFn: work,
    // A failure that a form shows would contradict an earlier success in the corner.
    onMutate: () => forgetToasts(subject),
    onSuccess(result, given) {
      const said = done?.(given, result)
      if (said) toast({ ...said, subject })
      for (const changed of [...changes, AUDIT_LOG]) void queries.invalidateQueries({ queryKey: [changed] })
    },
  })
  return {
    busy: isPending,
    runOrThrow: mutateAsync,
    run(given) {
      mutateAsync(given).catch((failure: unknown) =>
        toast({ tone: 'bad', text: messageOf(failure), subject }),
      )
    },
  }
}
