{{- /* By which the objects of this release find its pods. */ -}}
{{- define "kb-exporter.selector" -}}
app.kubernetes.io/name: kb-exporter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* An object of kustomize's files, with the name and the labels of the release: (list . FILE). */ -}}
{{- define "kb-exporter.object" -}}
{{- $root := index . 0 -}}
{{- $object := $root.Files.Get (index . 1) | fromYaml -}}
{{- $labels := include "kb-exporter.selector" $root | fromYaml -}}
{{- $labels = merge $labels (dict "app.kubernetes.io/version" $root.Chart.AppVersion "app.kubernetes.io/managed-by" $root.Release.Service) -}}
{{- $_ := set $object.metadata "name" $root.Release.Name -}}
{{- $_ := set $object.metadata "labels" $labels -}}
{{- toYaml $object -}}
{{- end -}}

{{- /* The objects that Prometheus selects by labels of its own. */ -}}
{{- define "kb-exporter.monitored" -}}
{{- $object := include "kb-exporter.object" . | fromYaml -}}
{{- $_ := set $object.metadata "labels" (merge (deepCopy (index . 0).Values.monitoring.labels) $object.metadata.labels) -}}
{{- toYaml $object -}}
{{- end -}}
