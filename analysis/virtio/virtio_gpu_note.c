/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of commands, and what is worth a look in them. */
#include "base/text.h"
#include "virtio_gpu_impl.h"

#include <stdio.h>

/* Virtual I/O Device (VIRTIO) 1.2, 5.7.6.7; include/uapi/linux/virtio_gpu.h */
static const struct {
	uint32_t type;
	const char *name;
} types[] = {
	{ 0x0100, "GET_DISPLAY_INFO" },
	{ 0x0101, "RESOURCE_CREATE_2D" },
	{ 0x0102, "RESOURCE_UNREF" },
	{ 0x0103, "SET_SCANOUT" },
	{ 0x0104, "RESOURCE_FLUSH" },
	{ 0x0105, "TRANSFER_TO_HOST_2D" },
	{ 0x0106, "RESOURCE_ATTACH_BACKING" },
	{ 0x0107, "RESOURCE_DETACH_BACKING" },
	{ 0x0108, "GET_CAPSET_INFO" },
	{ 0x0109, "GET_CAPSET" },
	{ 0x010a, "GET_EDID" },
	{ 0x010b, "RESOURCE_ASSIGN_UUID" },
	{ 0x010c, "RESOURCE_CREATE_BLOB" },
	{ 0x010d, "SET_SCANOUT_BLOB" },
	{ 0x0200, "CTX_CREATE" },
	{ 0x0201, "CTX_DESTROY" },
	{ 0x0202, "CTX_ATTACH_RESOURCE" },
	{ 0x0203, "CTX_DETACH_RESOURCE" },
	{ 0x0204, "RESOURCE_CREATE_3D" },
	{ 0x0205, "TRANSFER_TO_HOST_3D" },
	{ 0x0206, "TRANSFER_FROM_HOST_3D" },
	{ 0x0207, "SUBMIT_3D" },
	{ 0x0208, "RESOURCE_MAP_BLOB" },
	{ 0x0209, "RESOURCE_UNMAP_BLOB" },
	{ 0x0300, "UPDATE_CURSOR" },
	{ 0x0301, "MOVE_CURSOR" },
	{ 0x1100, "OK_NODATA" },
	{ 0x1101, "OK_DISPLAY_INFO" },
	{ 0x1102, "OK_CAPSET_INFO" },
	{ 0x1103, "OK_CAPSET" },
	{ 0x1104, "OK_EDID" },
	{ 0x1105, "OK_RESOURCE_UUID" },
	{ 0x1106, "OK_MAP_INFO" },
	{ 0x1200, "ERR_UNSPEC" },
	{ 0x1201, "ERR_OUT_OF_MEMORY" },
	{ 0x1202, "ERR_INVALID_SCANOUT_ID" },
	{ 0x1203, "ERR_INVALID_RESOURCE_ID" },
	{ 0x1204, "ERR_INVALID_CONTEXT_ID" },
	{ 0x1205, "ERR_INVALID_PARAMETER" },
};

const char *vgpu_type_name(uint32_t type)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type == type)
			return types[i].name;
	return NULL;
}

/* "RESOURCE_FLUSH (0x104)" */
static const char *type_text(uint32_t type, char buf[64])
{
	const char *name = vgpu_type_name(type);

	snprintf(buf, 64, name ? "%s (0x%x)" : "%s0x%x", name ? name : "", type);
	return buf;
}

static int error(const struct virtio_gpu *x, const struct vgpu_response *p)
{
	struct xtr_finding f = {
		.id = "virtio-gpu-error", .notable = true, .fault = true, .at_ns = p->first_ns
	};
	char n[XTR_TEXT_NUMBER], type[64], command[64], to[96] = "";

	if (p->type < VGPU_RESP_ERR)
		return 0;
	if (p->first_command)
		snprintf(to, sizeof(to), ", the first to %s", type_text(p->first_command, command));
	snprintf(f.text, sizeof(f.text), "virtio%d answered %s %s with %s%s", p->dev,
		 xtr_text_count(n, p->n), p->n == 1 ? "command" : "commands",
		 type_text(p->type, type), to);
	xtr_finding_evidence(&f, "responses", p->n);
	xtr_finding_evidence(&f, "limit", 1);
	xtr_finding_evidence(&f, "type", p->type);
	xtr_finding_evidence(&f, "first_command", p->first_command);
	return xtr_findings_add(x->o->findings, &f);
}

static int no_answer(const struct virtio_gpu *x, const struct vgpu_command *c)
{
	struct xtr_finding f = { .id = "virtio-gpu-unanswered",
				 .notable = true,
				 .at_ns = c->first_unanswered_ns };
	char n[XTR_TEXT_NUMBER], of[XTR_TEXT_NUMBER], type[64];

	if (!c->unanswered)
		return 0;
	snprintf(f.text, sizeof(f.text), "virtio%d did not answer %s of %s commands %s", c->dev,
		 xtr_text_count(n, c->unanswered), xtr_text_count(of, c->queued),
		 type_text(c->type, type));
	xtr_finding_evidence(&f, "unanswered", c->unanswered);
	xtr_finding_evidence(&f, "limit_ns", VGPU_UNANSWERED_NS);
	xtr_finding_evidence(&f, "queued", c->queued);
	xtr_finding_evidence(&f, "type", c->type);
	return xtr_findings_add(x->o->findings, &f);
}

int vgpu_findings(struct virtio_gpu *x)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < x->n_responses && !ret; i++)
		ret = error(x, &x->response[i]);
	for (i = 0; i < x->n_commands && !ret; i++)
		ret = no_answer(x, &x->command[i]);
	return ret;
}
