// Who took an action: in a word, and below it the session or the command.
import type { ShownAction } from '../list.ts'

const WHO: Record<ShownAction['by'], string> = {
  operator: 'Operator',
  account: 'Account',
  key: 'API key',
  command: 'Command line',
  system: 'System',
}

export function By(action: ShownAction) {
  const detail = detailOf(action)
  return (
    <>
      {WHO[action.by]}
      {detail !== '' && <div className="small soft">{detail}</div>}
    </>
  )
}

function detailOf({ command, machine_user, session_id, address }: ShownAction): string {
  if (command !== null)
    return machine_user === null ? `tollgate ${command}` : `${machine_user}: tollgate ${command}`
  const session = session_id === null ? [] : [`session ${session_id}`]
  return [...session, ...(address === null ? [] : [address])].join(', ')
}
