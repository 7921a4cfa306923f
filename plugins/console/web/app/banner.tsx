// Banner that is visible while the gateway cannot be reached.
import { WifiOff } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { announce } from './announce.ts'
import { isConnected, onConnection } from './connection.ts'

export function ConnectionBanner() {
  const connected = useSyncExternalStore(onConnection, isConnected)
  useEffect(
    () =>
      onConnection((now_connected) =>
        announce(now_connected ? 'The connection is back.' : 'Connection lost, retrying.'),
      ),
    [],
  )
  if (connected) return null
  return (
    <div className="banner">
      <WifiOff className="icon" aria-hidden />
      Connection lost, retrying
    </div>
  )
}
