import { Alert, Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'

/** A part of the page that could not be loaded, as after an update of the server, or that broke. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <Alert color="red" variant="light" title="This page could not be shown" role="alert">
        <Button variant="default" size="xs" mt="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      </Alert>
    )
  }
}
